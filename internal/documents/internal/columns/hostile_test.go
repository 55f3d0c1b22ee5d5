package columns

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

// TestPagesThatLie: memory for a claimed size is allocated only as its data arrives.
func TestPagesThatLie(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(zeros)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var u unpacker
	const huge = 1<<31 - 1
	for name, call := range map[string]func() ([]byte, error){
		"gzip that unpacks to more": func() ([]byte, error) {
			return u.unpack(format.Gzip, packed.Bytes(), 100, nil)
		},
		"gzip that unpacks to less": func() ([]byte, error) {
			return u.unpack(format.Gzip, packed.Bytes(), huge, nil)
		},
		"snappy that claims too much": func() ([]byte, error) {
			return u.unpack(format.Snappy, binary.AppendUvarint(nil, huge), huge, nil)
		},
		"snappy of another size": func() ([]byte, error) {
			return u.unpack(format.Snappy, snappy.Encode(nil, zeros), 100, nil)
		},
		"lz4 of nothing": func() ([]byte, error) {
			return u.unpack(format.Lz4Raw, []byte{0xFF, 1, 2}, huge, nil)
		},
		"lz4 that is damaged": func() ([]byte, error) {
			return u.unpack(format.Lz4Raw, []byte{0x0F, 0xFF, 0xFF, 1}, 500, nil)
		},
		"zstd of nothing": func() ([]byte, error) { return u.unpack(format.Zstd, nil, huge, nil) },
		"zstd that is damaged": func() ([]byte, error) {
			return u.unpack(format.Zstd, []byte{0x28, 0xB5, 0x2F, 0xFD, 0xFF, 1}, huge, nil)
		},
		"brotli that is damaged": func() ([]byte, error) {
			return u.unpack(format.Brotli, []byte{0xFF, 0xFF}, huge, nil)
		},
		"LZO": func() ([]byte, error) { return u.unpack(format.LZO, zeros, 100, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := call()
			if name == "gzip that unpacks to more" {
				require.Len(t, b, 100)
				return
			}
			require.Error(t, err)
			require.LessOrEqual(t, cap(b), 4<<20)
		})
	}
}

// TestNumbersThatLie: runs, deltas and lengths end when there are no more bytes, whatever number of values they
// claim.
func TestNumbersThatLie(t *testing.T) {
	drain := func(next func() error) int {
		for n := 0; ; n++ {
			if n > 1e6 || next() != nil {
				return n
			}
		}
	}
	most := binary.AppendUvarint(nil, 1<<63)
	for _, data := range [][]byte{
		nil, {0xFF}, {3}, {3, 1}, append(binary.AppendUvarint(nil, 1<<62|1), 1, 2, 3), bytes.Repeat([]byte{0}, 1000),
	} {
		for _, width := range []int{0, 1, 7, 32, 33, 255} {
			h := &hybrid{data: data, width: width}
			if n := drain(func() error { _, err := h.next(); return err }); width > 0 {
				require.Less(t, n, 10_000)
			}
		}
	}
	for _, head := range [][]byte{
		nil,
		{128, 1, 0, 5, 0},
		{0, 0, 5, 0},
		{128, 1, 4},
		append([]byte{128, 1, 4}, most...),
		{1, 1, 5, 0},
		{128, 1, 4, 200, 1, 0, 0, 255, 255, 255, 255},
	} {
		d, err := newDeltas(head)
		if err == nil {
			require.Less(t, drain(func() error { _, err := d.next(); return err }), 200)
		}
		if l, err := newLengths(head); err == nil {
			require.Less(t, drain(func() error { _, err := l.next(); return err }), 200)
		}
		if p, err := newDeltaByteReader(head); err == nil {
			require.Less(t, drain(func() error { _, err := p.next(); return err }), 200)
		}
	}
}

// TestFieldsAreThoseOfCSV compares fields with encoding/csv.
func TestFieldsAreThoseOfCSV(t *testing.T) {
	for _, field := range []string{
		"", "a", " a", "a ", "\u00a0x", "a,b", `a"b`, `"`, `""`, "a\nb", "a\r", `\.`, `\.x`, "\xff", "\t", "ü", "'",
	} {
		var want, have bytes.Buffer
		w := csv.NewWriter(&want)
		require.NoError(t, w.Write([]string{"first", field}))
		w.Flush()
		r := rows{out: bufio.NewWriter(&have)}
		r.field(0, []byte("first"))
		r.field(1, []byte(field))
		require.NoError(t, r.out.Flush())
		require.Equal(t, want.String(), have.String()+"\n", "%q", field)
	}
}

// TestListsAndNamesThatLie: claimed lengths are limited by the bytes available.
func TestListsAndNamesThatLie(t *testing.T) {
	for name, data := range map[string][]byte{
		"a schema of a billion elements":   append([]byte{0x29, 0xFC}, binary.AppendUvarint(nil, 1<<30)...),
		"a name of a gigabyte":             append([]byte{0x29, 0x1C, 0x48}, binary.AppendUvarint(nil, 1<<30)...),
		"statistics that go over the file": append([]byte{0x98}, binary.AppendUvarint(nil, 1<<30)...),
	} {
		t.Run(name, func(t *testing.T) {
			in := newMetadataReader(bytes.NewReader(data))
			_, err := in.read(0, int64(len(data)), new(fileMetadata))
			require.Error(t, err)
		})
	}
}

// TestEveryCutAndEveryByte: a file that is truncated or has any wrong byte results in an error, a note or rows, and
// nothing else.
func TestEveryCutAndEveryByte(t *testing.T) {
	whole, err := os.ReadFile("../../testdata/corpus/nested.parquet")
	require.NoError(t, err)
	for i := 0; i < len(whole); i += 7 {
		_, _ = formattest.Convert(t.Context(), Parquet, "a.parquet", whole[:i])
	}
	footer := int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	for i := 4; i < len(whole)-8-footer; i++ {
		data := bytes.Clone(whole)
		data[i] ^= 0x55
		doc, err := formattest.Convert(t.Context(), Parquet, "a.parquet", data)
		require.NoError(t, err, "the footer is whole")
		require.Len(t, doc.Parts, 1)
	}
}
