package evidence

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
)

// spot is a place in a text whose line is wanted, counted from where its document begins.
type spot struct {
	start, offset int64
	line          *int64
}

// number fills in the lines, from 1, reading each part of the text once.
func number(r io.ReaderAt, spots []spot) error {
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.offset, b.offset)) })
	buf := make([]byte, 256<<10)
	start, at, line := int64(-1), int64(0), int64(1)
	for _, s := range spots {
		if s.start != start {
			start, at, line = s.start, s.start, 1
		}
		for at < s.offset {
			n, err := r.ReadAt(buf[:min(int64(len(buf)), s.offset-at)], at)
			line += int64(bytes.Count(buf[:n], []byte{'\n'}))
			at += int64(n)
			if err != nil && !(errors.Is(err, io.EOF) && at == s.offset) {
				return err
			}
		}
		*s.line = line
	}
	return nil
}
