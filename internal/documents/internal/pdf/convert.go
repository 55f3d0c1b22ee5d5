// Package pdf converts PDF documents to text: page by page in reading order, with tables, form values and comments.
//
// Package syntax reads the objects of the file, package font decodes strings, and package layout turns positioned
// characters into lines. This package walks the pages and executes their operators.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Convert writes the text of a PDF, with one part for each page. It is a format.Converter.
//
// A damaged page affects only that page and adds a note. For a document without any text, such as a scan, it
// returns format.ErrNoText; if only some pages lack text, a note lists them.
func Convert(ctx context.Context, src format.Source, out format.Output) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case syntax.CancelPanic:
			err = p.Err
		default:
			err = fmt.Errorf("the PDF is damaged in an unforeseen way: %v", p)
		}
	}()
	if err := out.Kind("pdf"); err != nil {
		return err
	}
	file, err := syntax.Open(ctx, src.Bytes, src.Size)
	if errors.Is(err, syntax.ErrPassword) {
		if why, ok := strings.CutPrefix(err.Error(), syntax.ErrPassword.Error()+": "); ok {
			return fmt.Errorf("%w: %s", format.ErrPassword, why)
		}
		return format.ErrPassword
	}
	if err != nil {
		return err
	}
	d := newDocument(ctx, file, out)
	if err := d.head(); err != nil {
		return err
	}
	textErr := d.pages()
	if textErr != nil && !errors.Is(textErr, format.ErrNoText) {
		return textErr
	}
	if err := d.attachments(); err != nil {
		return err
	}
	return textErr
}
