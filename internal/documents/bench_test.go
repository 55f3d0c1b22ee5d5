package documents

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// BenchmarkSmallPages measures the conversion of one of many small pages, with reused workers and with a new worker
// for each.
func BenchmarkSmallPages(b *testing.B) {
	page := []byte("<!DOCTYPE html><html><head><title>Page</title></head><body><h1>Heading</h1>" +
		strings.Repeat("<p>Some text with a <a href=\"x.html\">link</a>.</p>", 40) + "</body></html>")
	for _, reuse := range []bool{true, false} {
		b.Run(fmt.Sprintf("reuse=%v", reuse), func(b *testing.B) {
			html := converters["html"]
			defer func() { converters["html"] = html }()
			once := html
			once.plain = reuse
			converters["html"] = once
			p := NewPool(Options{})
			defer func() { _ = p.Close() }()
			var group errgroup.Group
			group.SetLimit(8)
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				group.Go(func() error {
					return p.Convert(b.Context(), Job{
						Name: "page.html", Bytes: bytes.NewReader(page),
						Size: int64(len(page)),
					}, func(d Document) error {
						if d.Why != "" {
							return fmt.Errorf("%s", d.Why)
						}
						return nil
					})
				})
			}
			require.NoError(b, group.Wait())
		})
	}
}
