package evidence

import (
	"context"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/verbatim"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Words are the words of a passage as far as its evidence has them.
func Words(e trajectory.Evidence) string {
	if int64(len(e.Quote)) == e.Length {
		return e.Quote
	}
	return strings.TrimSuffix(e.Quote, cutMark)
}

// FindLine looks for words in the document that begins at offset, and returns the line of it, from 1, in which they begin.
func FindLine(ctx context.Context, r io.ReaderAt, offset, size int64, words string) (line int64, found bool, err error) {
	document := io.NewSectionReader(r, offset, size)
	places, err := verbatim.Read(ctx, document, size, []string{words})
	if err != nil || places[0].Count == 0 || places[0].Folded {
		return 0, false, err
	}
	err = number(document, []spot{{offset: places[0].Offset, line: &line}})
	return line, err == nil, err
}
