package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/gorlm/rlm/internal/builtins"
)

const (
	// MarksAtOnce bounds the marks of one frame.
	MarksAtOnce = 10_000
	// MaxMarksFrame bounds the bytes of one frame of marks.
	MaxMarksFrame = 580_000 // a mark is five varints and a digest
	digestLen     = 8
)

// PackMarks packs marks for the body of a frame.
func PackMarks(marks []builtins.Mark) []byte {
	var packed []byte
	for _, m := range marks {
		for _, n := range []int64{int64(m.Number), int64(m.Context) + 1, m.Offset, m.Length, int64(m.Occurrences)} {
			packed = binary.AppendUvarint(packed, uint64(n))
		}
		digest, _ := hex.DecodeString(m.Digest)
		packed = append(packed, append(digest, make([]byte, digestLen)...)[:digestLen]...)
	}
	return packed
}

// UnpackMarks reverses PackMarks. Inconsistent marks are an error.
func UnpackMarks(packed []byte) ([]builtins.Mark, error) {
	var marks []builtins.Mark
	for r := bytes.NewReader(packed); r.Len() > 0; {
		var n [5]int64
		for i := range n {
			v, err := binary.ReadUvarint(r)
			if err != nil || v > 1<<62 {
				return nil, fmt.Errorf("%w: marks", ErrMalformed)
			}
			n[i] = int64(v)
		}
		var digest [digestLen]byte
		if _, err := io.ReadFull(r, digest[:]); err != nil || len(marks) == MarksAtOnce ||
			n[0] < 1 || n[0] > builtins.HighestMark || n[1] > 1<<31 || n[3] < 1 || n[4] > 1<<31 {
			return nil, fmt.Errorf("%w: marks", ErrMalformed)
		}
		marks = append(marks, builtins.Mark{
			Number: int(n[0]), Context: int(n[1]) - 1, Offset: n[2], Length: n[3],
			Occurrences: int(n[4]), Digest: hex.EncodeToString(digest[:]),
		})
	}
	return marks, nil
}
