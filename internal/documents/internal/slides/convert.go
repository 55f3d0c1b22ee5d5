// Package slides converts the presentations of PowerPoint and similar programs (Office Open XML, .pptx), with a
// part for each slide and its notes.
package slides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Convert converts a .pptx file, with the slides in the order of the presentation. It is a format.Converter.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	pkg, err := opc.Begin(ctx, src, out, "pptx")
	if err != nil {
		return err
	}
	d := &deck{ctx: ctx, pkg: pkg, out: out, shown: map[string]bool{}}
	slides, listErr := d.list(pkg.Rels)
	for i, name := range slides {
		if err := d.slide(i+1, name); err != nil {
			return err
		}
	}
	return listErr
}

// deck is the conversion of one presentation.
type deck struct {
	ctx   context.Context
	pkg   *opc.Package
	out   format.Output
	shown map[string]bool // footers already written
}

// maxSlides limits the list of slides.
const maxSlides = 50_000

// list returns the slides in order.
func (d *deck) list(rels opc.Relationships) (slides []string, err error) {
	targets := map[string]string{}
	for _, rel := range rels {
		if !rel.External {
			targets[rel.ID] = rel.Target
		}
	}
	err = d.pkg.Elements(d.pkg.Main, func(r *xmlread.Reader) error {
		if r.Name == "p:sldId" && len(slides) < maxSlides {
			slides = append(slides, targets[r.Attr("r:id")])
		}
		return nil
	})
	return slides, err
}

// slide writes a slide as a part.
func (d *deck) slide(number int, name string) error {
	s := &slide{deck: d}
	var err error
	if name == "" {
		err = fs.ErrNotExist
	} else {
		err = s.read(name)
	}
	w, beginErr := markdown.Slide(d.out, number, s.hidden, s.title, s.body.String())
	if beginErr != nil {
		return beginErr
	}
	if err := errors.Join(d.beside(s.rels, w), w.End()); err != nil {
		return err
	}
	return d.pkg.Damaged(fmt.Sprintf("slide %d", number), err)
}

// beside writes the notes and comments of a slide.
func (d *deck) beside(rels opc.Relationships, w *markdown.Writer) error {
	for _, name := range rels.ByType("notesSlide") {
		notes := &slide{deck: d, notes: true}
		err := notes.read(name)
		if text := notes.body.String(); text != "" {
			if err := errors.Join(w.Paragraph("Notes:"), w.Raw(text)); err != nil {
				return err
			}
		}
		if err := d.pkg.Damaged("the notes of a slide", err); err != nil {
			return err
		}
	}
	for _, name := range rels.ByType("comments") {
		if err := d.pkg.Damaged("the comments on a slide", d.comments(name, w)); err != nil {
			return err
		}
	}
	return w.Err()
}

// comments writes comments of both kinds: p:cm with p:text, and p188:cm with paragraphs.
func (d *deck) comments(name string, w *markdown.Writer) error {
	var text strings.Builder
	return d.pkg.Events(name, func(r *xmlread.Reader, kind xmlread.Kind) error {
		switch {
		case kind == xmlread.Start && (r.Name == "p:text" || r.Name == "a:t"):
			inner, err := r.Inner()
			text.WriteString(inner)
			return err
		case kind == xmlread.End &&
			(r.Name == "p:cm" || r.Name == "p188:reply" || r.Name == "p188:cm" || r.Name == "p188:txBody"):
			if line := format.OneLine(text.String()); line != "" {
				if err := w.Paragraph("Comment: " + line); err != nil {
					return err
				}
			}
			text.Reset()
		}
		return nil
	})
}
