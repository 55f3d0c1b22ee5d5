// Package epub converts books, with a part for each chapter in the spine.
package epub

import (
	"context"
	"errors"
	"fmt"
	"html"
	"path"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	page "github.com/gorlm/rlm/internal/documents/internal/html"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
	"github.com/gorlm/rlm/internal/kit/units"
)

const (
	containerPart  = "META-INF/container.xml"
	encryptionPart = "META-INF/encryption.xml"
	// maxItems limits the list of a book's files.
	maxItems = 100_000
)

var (
	errNoPackage = errors.New("its list of chapters is missing")
	errProtected = errors.New("its text is encrypted with DRM")
)

// Convert converts an .epub file. It is a format.Converter.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("epub"); err != nil {
		return err
	}
	a, err := container.Open(ctx, src, out)
	if err != nil {
		return err
	}
	b := &bookReader{
		ctx: ctx, Archive: a, out: out, items: map[string]item{}, titles: map[string]string{},
		meta: map[string]string{},
	}
	if err := b.open(); err != nil {
		return err
	}
	if err := format.Head(out, b.meta, "Title", "dc:title", "Author", "dc:creator", "Publisher", "dc:publisher", "Date",
		"dc:date",
		"Language", "dc:language", "Subject", "dc:subject", "Description", "dc:description", "Identifier",
		"dc:identifier"); err != nil {
		return err
	}
	number, others := 0, 0
	for _, id := range b.spine {
		it := b.items[id]
		if !it.readable() {
			others++
			continue
		}
		number++
		if err := b.chapter(number, it); err != nil {
			return err
		}
	}
	if number == 0 {
		return format.ErrNoText
	}
	if others > 0 {
		return out.Note("left out " + units.Of(others, "page") + " without text, such as pictures")
	}
	return nil
}

// bookReader is the conversion of one book.
type bookReader struct {
	ctx context.Context
	*container.Archive
	out    format.Output
	items  map[string]item
	spine  []string          // items in reading order
	titles map[string]string // titles of chapters, by part
	meta   map[string]string
	toc    []string // parts with tables of contents
}

type item struct{ part, kind string }

func (i item) readable() bool {
	switch strings.ToLower(path.Ext(i.part)) {
	case ".xhtml", ".html", ".htm":
		return true
	}
	return i.kind == "application/xhtml+xml" || i.kind == "text/html" || i.kind == "text/x-oeb1-document"
}

// open reads the package document: metadata, files, their order and titles.
func (b *bookReader) open() error {
	opf := ""
	err := b.Elements(containerPart, func(r *xmlread.Reader) error {
		if r.Name == "odc:rootfile" && opf == "" {
			opf = container.Clean(r.Attr("full-path"))
		}
		return nil
	})
	if opf == "" {
		for _, name := range b.Names() {
			if strings.HasSuffix(strings.ToLower(name), ".opf") {
				opf = name
				break
			}
		}
	}
	if opf == "" {
		return errors.Join(errNoPackage, err)
	}
	ncx := ""
	err = b.Elements(opf, func(r *xmlread.Reader) error {
		switch r.Name {
		case "opf:item":
			it := item{container.Resolve(opf, r.Attr("href")), r.Attr("media-type")}
			if len(b.items) < maxItems {
				b.items[r.Attr("id")] = it
			}
			if strings.Contains(" "+r.Attr("properties")+" ", " nav ") || it.kind == "application/x-dtbncx+xml" {
				b.toc = append(b.toc, it.part)
			}
		case "opf:spine":
			ncx = r.Attr("toc")
		case "opf:itemref":
			if len(b.spine) < maxItems {
				b.spine = append(b.spine, r.Attr("idref"))
			}
		case "dc:title", "dc:creator", "dc:publisher", "dc:date", "dc:language", "dc:subject", "dc:description",
			"dc:identifier":
			return b.property(r)
		}
		return nil
	})
	if err != nil && len(b.spine) == 0 {
		return fmt.Errorf("its list of chapters is damaged: %w", err)
	}
	if err := b.Damaged("the end of its list of chapters", err); err != nil {
		return err
	}
	if it, ok := b.items[ncx]; ok && len(b.toc) == 0 {
		b.toc = append(b.toc, it.part)
	}
	for _, part := range b.toc {
		if err := b.readTitles(part); err != nil && b.ctx.Err() != nil {
			return err
		}
	}
	return b.protected()
}

func (b *bookReader) property(r *xmlread.Reader) error {
	name := r.Name
	value, err := r.Inner()
	value = format.OneLine(html.UnescapeString(value))
	switch before := b.meta[name]; {
	case before == "":
		b.meta[name] = value
	case name == "dc:creator" || name == "dc:subject":
		if len(before) < 4096 {
			b.meta[name] = before + ", " + value
		}
	}
	return err
}

// readTitles reads a table of contents: an NCX, or a page with links.
func (b *bookReader) readTitles(part string) error {
	label := ""
	return b.Elements(part, func(r *xmlread.Reader) error {
		switch name := r.Name[strings.LastIndexByte(r.Name, ':')+1:]; name {
		case "text":
			var err error
			label, err = r.Inner()
			return err
		case "content":
			b.title(container.Resolve(part, r.Attr("src")), label)
		case "a":
			target := container.Resolve(part, r.Attr("href"))
			text, err := r.Whole()
			b.title(target, text)
			return err
		}
		return nil
	})
}

// title stores the first title of a part; later ones are titles of sections.
func (b *bookReader) title(part, label string) {
	if b.titles[part] == "" && len(b.titles) < maxItems {
		b.titles[part] = format.OneLine(html.UnescapeString(label))
	}
}

// protected reports encrypted chapters as an error. Encrypted fonts are common and irrelevant.
func (b *bookReader) protected() error {
	chapters := map[string]bool{}
	for _, id := range b.spine {
		chapters[b.items[id].part] = true
	}
	encrypted := false
	err := b.Elements(encryptionPart, func(r *xmlread.Reader) error {
		if strings.HasSuffix(r.Name, "CipherReference") && chapters[container.Clean(r.Attr("URI"))] {
			encrypted = true
		}
		return nil
	})
	if encrypted {
		return errProtected
	}
	if b.ctx.Err() != nil {
		return err
	}
	return nil
}

// chapter writes a chapter as a part.
func (b *bookReader) chapter(number int, it item) error {
	if err := b.out.Begin(format.Part{Kind: format.Chapter, Number: number, Name: b.titles[it.part]}); err != nil {
		return err
	}
	part, err := b.Open(it.part)
	if err == nil {
		var remark string
		remark, err = page.Markdown(b.ctx, part, container.Marked(b.out))
		part.Close()
		if err == nil && remark != "" {
			err = b.out.Note(fmt.Sprintf("chapter %d: %s", number, remark))
		}
	}
	return b.Damaged(fmt.Sprintf("chapter %d", number), err)
}
