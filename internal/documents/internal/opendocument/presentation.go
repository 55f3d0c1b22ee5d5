package opendocument

import (
	"context"
	"errors"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Presentation converts an .odp file, with a part for each slide and its notes. It is a format.Converter.
func Presentation(ctx context.Context, src format.Source, out format.Output) error {
	d, err := open(ctx, src, out, "odp")
	if err != nil {
		return err
	}
	number := 0
	return d.body(func(name string) bool {
		return name == "office:presentation" || name == "office:drawing"
	}, func(r *xmlread.Reader) error {
		return r.Inside(func() error {
			if r.Name != "draw:page" {
				return r.Skip()
			}
			number++
			return d.slide(r, number)
		})
	})
}

// slide writes a slide as a part.
func (d *document) slide(r *xmlread.Reader, number int) error {
	hidden := d.isHidden("drawing-page", r.Attr("draw:style-name"))
	var title, body, beside strings.Builder
	titleOut, bodyOut, besideOut := markdown.Flat(&title), markdown.New(&body), markdown.New(&beside)
	d.notes = nil
	readErr := d.shapes(r, titleOut, bodyOut, besideOut)
	w, err := markdown.Slide(d.out, number, hidden, title.String(), body.String())
	if err != nil {
		return err
	}
	if beside.Len() > 0 {
		if err := errors.Join(w.Paragraph("Notes:"), w.Raw(beside.String())); err != nil {
			return err
		}
	}
	for _, n := range d.notes {
		if err := w.Paragraph(n.text); err != nil {
			return err
		}
	}
	if err := w.End(); err != nil {
		return err
	}
	return readErr
}

// shapes reads the shapes of a slide.
func (d *document) shapes(r *xmlread.Reader, title, body, beside *markdown.Writer) error {
	return r.Inside(func() error {
		var err error
		switch class := r.Attr("presentation:class"); {
		case r.Attr("presentation:placeholder") == "true", class == "page-number", class == "page", class == "header",
			class == "footer", r.Attr("draw:display") == "none":
			err = r.Skip()
		case class == "date-time":
			var text strings.Builder
			err = d.shape(r, markdown.Flat(&text))
			if body != beside {
				err = errors.Join(body.Once(d.shown, "", text.String()), err)
			}
		case r.Name == "presentation:notes":
			err = d.shapes(r, beside, beside, beside)
		case r.Name == "draw:g":
		case class == "title":
			err = d.shape(r, title)
		case r.Name == "office:annotation":
			var line string
			line, err = d.comment(r)
			d.notes = append(d.notes, note{text: line})
		default:
			err = d.block(r, body)
		}
		return err
	})
}
