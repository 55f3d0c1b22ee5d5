// Package pdf makes text of PDF documents: page after page in reading order, tables as tables, with what stands in
// forms and comments.
//
// The objects of the file are read by package syntax, the codes of its strings by package font, and the places of
// characters on a page become lines in package layout. This package follows the pages and the operators on them.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Convert writes the text of a PDF, a part for each page. It is a format.Converter.
//
// A page that is damaged costs that page, with a note. A document of pages without text, such as a scan, is
// format.ErrNoText; single pages without text are named in a note.
func Convert(ctx context.Context, src format.Source, out format.Output) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case syntax.CancelPanic:
			err = p.Err
		default:
			err = fmt.Errorf("the PDF is damaged in a way that was not foreseen: %v", p)
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
