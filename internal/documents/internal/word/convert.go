// Package word converts the documents of Word and similar programs (Office Open XML, .docx).
package word

import (
	"context"
	"errors"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Convert converts the visible content of a .docx file to Markdown. It is a format.Converter.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	pkg, err := opc.Begin(ctx, src, out, "docx")
	if err != nil {
		return err
	}
	d := &document{ctx: ctx, pkg: pkg, out: out, rels: pkg.Rels, labels: map[string]string{}, shown: map[string]bool{}}
	if err := d.pkg.Optional("its styles", d.readStyles(d.rels.First("styles"))); err != nil {
		return err
	}
	if err := d.pkg.Optional("its numbering", d.readNumbering(d.rels.First("numbering"))); err != nil {
		return err
	}
	if err := d.pkg.Optional("its footnotes", d.countFootnotes()); err != nil {
		return err
	}
	w := markdown.New(out)
	if err := d.margins(w, "header", "Header: "); err != nil {
		return err
	}
	bodyErr := d.part(pkg.Main, "w:body", func(r *xmlread.Reader) error { return d.blocks(r, w, nil) })
	if w.Err() != nil {
		return w.Err()
	}
	if err := errors.Join(d.notes(w), d.margins(w, "footer", "Footer: "), w.End()); err != nil {
		return err
	}
	if bodyErr != nil {
		return bodyErr
	}
	if err := format.LostEquations(out, d.equations); err != nil {
		return err
	}
	return d.embedded()
}

// document is the conversion of one document.
type document struct {
	ctx    context.Context
	pkg    *opc.Package
	out    format.Output
	rels   opc.Relationships // relationships of the current part
	styles map[string]*style
	listTable
	margin bool // a header or footer is being read
	nested int  // enclosing tables and text boxes
	fields []field

	labels       map[string]string // labels of notes, by kind and ID
	counts       [3]int            // numbers of notes, by kind
	hasFootnotes bool
	equations    int             // equations that are pictures
	shown        map[string]bool // texts of headers and footers already written
}

// part reads the first element with a name in a part.
func (d *document) part(name, element string, read func(r *xmlread.Reader) error) error {
	return d.pkg.Read(name, func(r *xmlread.Reader) error {
		if found, err := r.Find(element); !found {
			return err
		}
		return read(r)
	})
}

// margins writes the headers or footers of pages, each text once.
func (d *document) margins(w *markdown.Writer, kind, label string) error {
	outer := d.rels
	d.margin = true
	defer func() { d.rels, d.margin, d.fields = outer, false, nil }()
	for _, name := range outer.ByType(kind) {
		d.rels, _ = d.pkg.Relationships(name)
		d.fields = nil
		var text strings.Builder
		flat := markdown.Flat(&text)
		root := "w:hdr"
		if kind == "footer" {
			root = "w:ftr"
		}
		err := d.part(name, root, func(r *xmlread.Reader) error { return d.blocks(r, flat, nil) })
		if err := d.pkg.Optional("a "+kind, err); err != nil {
			return err
		}
		if err := w.Once(d.shown, label, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// embedded passes documents inside the document to the output.
func (d *document) embedded() error {
	for _, kind := range []string{"package", "aFChunk"} {
		for _, name := range d.rels.ByType(kind) {
			r, err := d.pkg.Open(name)
			if err != nil {
				continue
			}
			err = d.out.Member(name, noTime, r)
			r.Close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
