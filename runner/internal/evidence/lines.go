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
	buf := make([]byte, 1<<20)
	var have []byte // of the text, from at on
	start, at, line := int64(-1), int64(0), int64(1)
	for i, s := range spots {
		if s.start != start {
			start, at, line, have = s.start, s.start, 1, nil
		}
		for at < s.offset {
			if len(have) == 0 {
				n, err := r.ReadAt(buf[:min(int64(len(buf)), lastOf(spots[i:])-at)], at)
				if err != nil && !(errors.Is(err, io.EOF) && n > 0) {
					return err
				}
				have = buf[:n]
			}
			n := min(int64(len(have)), s.offset-at)
			line += int64(bytes.Count(have[:n], []byte{'\n'}))
			at, have = at+n, have[n:]
		}
		*s.line = line
	}
	return nil
}

// lastOf is the last offset among the spots of the first one's document.
func lastOf(spots []spot) int64 {
	n, _ := slices.BinarySearchFunc(spots, spots[0].start+1, func(s spot, start int64) int { return cmp.Compare(s.start, start) })
	return spots[n-1].offset
}
