package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"unsafe"

	"golang.org/x/sync/errgroup"
)

// ErrTooRepetitive means that text and quotations are so repetitive that comparing them would take too long.
var ErrTooRepetitive = errors.New(
	"the text and the quotations repeat themselves so much that they cannot be compared in reasonable time")

const (
	pieceLen = 4 << 20 // bytes searched in one piece
	// margin is how many bytes around a piece are read with it, besides the length of the longest quotation, to
	// allow for additional white space.
	margin  = 4 << 10
	atOnce  = 4        // pieces searched concurrently
	mostLen = 16 << 20 // bytes of the longest quotation that is possible in a stream
)

// ReadQuotations is Quotations for a text that is read from r, in one pass. A quotation of more than 16 MiB is an
// error.
func ReadQuotations(ctx context.Context, r io.ReaderAt, size int64, quotes []string) ([]Quotation, error) {
	f := newQuoteFinder(quotes)
	if f.longest > mostLen {
		return nil, fmt.Errorf("a quotation of %d bytes is too long to be looked for", f.longest)
	}
	workers := max(1, min(atOnce, runtime.GOMAXPROCS(0), int((size+pieceLen-1)/pieceLen)))
	books := make([]*matches, workers)
	group, ctx := errgroup.WithContext(ctx)
	around := int64(2*f.longest + margin)
	for w := range workers {
		books[w] = f.book(size / int64(workers))
		group.Go(func() error {
			buf := make([]byte, pieceLen+2*around)
			for at := int64(w) * pieceLen; at < size; at += int64(workers) * pieceLen {
				if err := ctx.Err(); err != nil {
					return err
				}
				from, to := max(0, at-around), min(size, at+pieceLen+around)
				n, err := r.ReadAt(buf[:to-from], from)
				if err != nil && !(errors.Is(err, io.EOF) && int64(n) == to-from) {
					return err
				}
				// The string is not used after the buffer is reused.
				text := unsafe.String(unsafe.SliceData(buf), n)
				books[w].scan(text, from, int(at-from), int(min(size, at+pieceLen)-from))
				if books[w].work <= 0 {
					return ErrTooRepetitive
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("look for quotations: %w", err)
	}
	for _, b := range books[1:] {
		books[0].merge(b)
	}
	return f.places(books[0]), nil
}
