// Package opendocument converts the documents of LibreOffice and similar programs: texts (.odt), workbooks (.ods)
// and presentations (.odp).
package opendocument

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Text converts an .odt file. It is a format.Converter.
func Text(ctx context.Context, src format.Source, out format.Output) error {
	d, err := open(ctx, src, out, "odt")
	if err != nil {
		return err
	}
	w := markdown.New(out)
	if err := errors.Join(d.margins(w, "style:header", "Header: "), w.Err()); err != nil {
		return err
	}
	bodyErr := d.body(func(name string) bool { return name == "office:text" }, func(r *xmlread.Reader) error {
		return d.blocks(r, w)
	})
	if err := w.Err(); err != nil {
		return err
	}
	if err := errors.Join(d.writeNotes(w), d.margins(w, "style:footer", "Footer: "), w.End()); err != nil {
		return err
	}
	return bodyErr
}

// document is the conversion of one document.
type document struct {
	ctx context.Context
	*container.Archive
	out format.Output
	styles
	cells  bool // it is a workbook
	margin bool // a header or footer is being read
	nested int  // enclosing tables, text boxes and lists
	lists  []openList
	counts map[string]*[maxLevels]int // counters of numbered lists, by style
	notes  []note
	copied int             // bytes added by repeated cells and rows
	shown  map[string]bool // texts of headers and footers already written
}

func open(ctx context.Context, src format.Source, out format.Output, kind string) (*document, error) {
	if err := out.Kind(kind); err != nil {
		return nil, err
	}
	a, err := container.Open(ctx, src, out)
	if err != nil {
		return nil, err
	}
	d := &document{ctx: ctx, Archive: a, out: out, counts: map[string]*[maxLevels]int{}, shown: map[string]bool{}}
	d.styles = newStyles()
	if d.encrypted() {
		return nil, format.ErrPassword
	}
	if err := d.Optional("its styles", d.Elements("styles.xml", d.style)); err != nil {
		return nil, err
	}
	return d, d.metadata()
}

// body reads the styles in the content, then calls read for the element that matches is.
func (d *document) body(is func(name string) bool, read func(r *xmlread.Reader) error) error {
	return d.Elements("content.xml", func(r *xmlread.Reader) error {
		if is(r.Name) {
			return read(r)
		}
		return d.style(r)
	})
}

var errEncrypted = errors.New("encrypted")

func (d *document) encrypted() bool {
	err := d.Elements("META-INF/manifest.xml", func(r *xmlread.Reader) error {
		if r.Name == "manifest:encryption-data" {
			return errEncrypted
		}
		return nil
	})
	return errors.Is(err, errEncrypted)
}

func (d *document) metadata() error {
	found := map[string]string{}
	err := d.Elements("meta.xml", func(r *xmlread.Reader) error {
		switch r.Name {
		case "office:document-meta", "office:meta":
			return nil
		}
		name := r.Name
		value, err := r.Inner()
		if found[name] != "" && value != "" {
			value = found[name] + ", " + value // there is an element for each keyword
		}
		if len(value) < 64<<10 {
			found[name] = value
		}
		return err
	})
	if err := d.Optional("its properties", err); err != nil {
		return err
	}
	if found["meta:initial-creator"] == "" {
		found["meta:initial-creator"] = found["dc:creator"]
	}
	return format.Head(d.out, found, "Title", "dc:title", "Subject", "dc:subject", "Author", "meta:initial-creator",
		"Keywords", "meta:keyword",
		"Description", "dc:description", "Language", "dc:language", "Created", "meta:creation-date", "Modified",
		"dc:date")
}

// margins writes the headers or footers of pages, each text once.
func (d *document) margins(w *markdown.Writer, element, label string) error {
	d.margin = true
	defer func() { d.margin = false }()
	err := d.Elements("styles.xml", func(r *xmlread.Reader) error {
		if r.Name != element && r.Name != element+"-left" && r.Name != element+"-first" ||
			r.Attr("style:display") == "false" {
			return nil
		}
		var text strings.Builder
		err := d.blocks(r, markdown.Flat(&text))
		return cmp.Or(w.Once(d.shown, label, text.String()), err)
	})
	if w.Err() != nil {
		return w.Err()
	}
	return d.Optional("the headers and footers", err)
}
