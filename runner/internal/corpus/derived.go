package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/parts"
)

// mostParts bounds the parts of all documents of a text.
const mostParts = parts.Most

// convert writes what a conversion makes. What is wrong with a document costs that document.
func (b *builder) convert(c *conversion) error {
	defer c.close()
	from, made := len(b.docs), 0
	failed, err := c.each(func(d converted) error {
		made++
		return b.converted(c, d)
	})
	for i := range b.docs[min(from, len(b.docs)):] {
		b.docs[from+i].Hash = cmp.Or(b.docs[from+i].Hash, c.hash)
	}
	switch {
	case failed != nil:
		return failed
	case b.ctx.Err() != nil:
		return b.ctx.Err()
	case err != nil && made == 0:
		return b.asItIs(c, reason(err))
	case err != nil:
		b.found.skip(c.o.name, "the rest is missing: "+reason(err))
	}
	return nil
}

// converted writes one document that a conversion made, or lists why it is left out.
func (b *builder) converted(c *conversion, d converted) error {
	doc := Document{
		Encoding: "utf-8", File: c.o.file, Fetched: c.o.fetched(), Kind: d.Kind, Converter: c.by,
		Note: strings.Join(append(d.Notes, told(d.Why)...), "; "),
	}
	doc.Member = documents.Member(c.o.alias(), d.Name)
	doc.Name = c.o.name + doc.Member
	if d.Raw {
		return b.raw(c, d, doc)
	}
	size := int64(0)
	if s, ok := d.read.(interface{ Size() int64 }); ok {
		size = s.Size()
	}
	if size == 0 {
		why := cmp.Or(doc.Note, "it holds no text")
		if doc.Member == "" {
			return b.asItIs(c, why)
		}
		b.found.skip(doc.Name, why)
		return nil
	}
	b.parts += len(d.Parts)
	if b.parts > mostParts {
		doc.Note = strings.Join(append(told(doc.Note), "its parts are not told apart: there are too many in all"), "; ")
		b.parts -= len(d.Parts)
	} else {
		doc.Parts = partsOf(d.Parts)
	}
	if doc.Fetched != nil && doc.Member == "" {
		head := doc.Fetched.head()
		for i := range doc.Parts {
			doc.Parts[i].Offset += int64(len(head))
		}
		d.read = io.MultiReader(strings.NewReader(head), d.read)
	}
	return b.putDerived(c, doc, d.read, true)
}

// told is a list of a text, if there is one.
func told(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func partsOf(list []documents.Part) parts.List {
	var out parts.List
	for _, p := range list {
		out = append(out, parts.Part{Kind: string(p.Kind), Number: p.Number, Name: format.OneLine(p.Name), Offset: p.Offset, Size: p.Size})
	}
	return out
}

// raw writes the bytes of a member that is no document of a known format, if they are text.
func (b *builder) raw(c *conversion, d converted, doc Document) error {
	head, err := readHead(d.read)
	if err != nil {
		b.found.skip(doc.Name, "unreadable: "+reason(err))
		return nil
	}
	if kind := binaryKind(head); kind != "" && wideCharset(head) == nil {
		b.found.skip(doc.Name, cmp.Or(d.Why, "binary ("+kind+")"))
		return nil
	}
	return b.putDerived(c, doc, io.MultiReader(bytes.NewReader(head), d.read), false)
}

// asItIs takes what cannot be converted as the text that it is, such as a page of HTML, and lists what is no text.
func (b *builder) asItIs(c *conversion, why string) error {
	if kind := binaryKind(c.o.head); kind != "" && wideCharset(c.o.head) == nil {
		b.found.skip(c.o.name, why)
		return nil
	}
	doc := Document{Name: c.o.name, File: c.o.file, Fetched: c.o.fetched(), Note: "it is as it was found, not converted: " + why}
	return b.putDerived(c, doc, io.NewSectionReader(c.bytes, 0, c.size), false)
}

// putDerived writes a text that a conversion made, or holds a copy of it. A text that is not known to be UTF-8 is decoded.
func (b *builder) putDerived(c *conversion, doc Document, r io.Reader, known bool) error {
	done := func() error { return nil }
	if b.first == nil && len(b.docs) == 0 {
		var err error
		if r, done, err = copied(r); err != nil {
			return err
		}
	}
	return b.put(held{func(header bool) error { return b.derived(c, doc, r, known, header) }, done})
}

func (b *builder) derived(c *conversion, doc Document, r io.Reader, known, header bool) error {
	if err := b.begin(&doc, header); err != nil {
		return err
	}
	var head []byte
	if !known {
		var err error
		if head, err = readHead(r); err != nil {
			return err
		}
	}
	text := newUTF8Reader(io.MultiReader(bytes.NewReader(head), r), head, known)
	if err := b.copy(text); err != nil {
		why := readError{}
		if !errors.As(err, &why) {
			return err
		}
		doc.Note = strings.Join(append(told(doc.Note), "reading stopped: "+reason(why.error)), "; ")
	}
	doc.Encoding, doc.Replaced = text.encoding, text.replaced
	if c.ended() {
		doc.Hash = c.hash
	}
	b.end(doc)
	return nil
}
