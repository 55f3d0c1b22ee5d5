package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/outline"
)

// mostParts bounds the parts of all documents of a text, and mostPartNames the bytes of their names.
const (
	mostParts     = outline.Most
	mostPartNames = 16 << 20
)

// convert writes the documents of a conversion. An error affects only its own document.
func (b *builder) convert(c *conversionTask) error {
	defer c.close()
	from, made := len(b.docs), 0
	failed, err := c.each(func(d convertedDocument) error {
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

// converted writes one document of a conversion, or lists the document as skipped, with the reason.
func (b *builder) converted(c *conversionTask, d convertedDocument) error {
	doc := Document{
		Encoding: "utf-8", File: c.o.file, Fetched: c.o.fetched(), Kind: d.Kind, Converter: c.by,
	}
	doc.remark(append(d.Notes, d.Why)...)
	doc.Member = documents.Member(c.o.alias(), d.Name)
	doc.Name = c.o.name + doc.Member
	doc.Member = doc.Name[len(c.o.name):] // share the memory of the name
	if d.Raw {
		return b.raw(c, d, doc)
	}
	size := int64(0)
	if s, ok := d.read.(interface{ Size() int64 }); ok {
		size = s.Size()
	}
	if size == 0 {
		why := cmp.Or(doc.Note, "it contains no text")
		if doc.Member == "" {
			return b.asItIs(c, why)
		}
		b.found.skip(doc.Name, why)
		return nil
	}
	if parts, names := b.parts+len(d.Parts), b.partNames+namesOf(d.Parts); parts > mostParts || names > mostPartNames {
		doc.remark("its parts are not listed: there are too many in total")
	} else {
		b.parts, b.partNames = parts, names
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

// namesOf is the size of the parts' names in bytes.
func namesOf(list []documents.Part) (bytes int) {
	for _, p := range list {
		bytes += len(p.Name)
	}
	return bytes
}

func partsOf(list []documents.Part) outline.List {
	var out outline.List
	for _, p := range list {
		out = append(out, outline.Part{
			Kind: string(p.Kind), Number: p.Number, Name: format.OneLine(p.Name), Offset: p.Offset, Size: p.Size,
		})
	}
	return out
}

// raw writes a member of unknown format unchanged if it is text, and otherwise skips it.
func (b *builder) raw(c *conversionTask, d convertedDocument, doc Document) error {
	head, err := readHead(d.read)
	if err != nil {
		b.found.skip(doc.Name, "unreadable: "+reason(err))
		return nil
	}
	if kind := binaryKind(head); kind != "" {
		b.found.skip(doc.Name, cmp.Or(d.Why, "binary ("+kind+")"))
		return nil
	}
	return b.putDerived(c, doc, io.MultiReader(bytes.NewReader(head), d.read), false)
}

// asItIs takes a source that cannot be converted as text if its format is text, such as HTML. Other documents are
// left out, even if their bytes look like text, as in an uncompressed archive.
func (b *builder) asItIs(c *conversionTask, why string) error {
	if form, _, _ := strings.Cut(c.by, "/"); !format.Form(form).IsText() {
		b.found.skip(c.o.name, why)
		return nil
	}
	doc := Document{
		Name: c.o.name, File: c.o.file, Fetched: c.o.fetched(),
		Note: "it was left as it is, not converted: " + why,
	}
	return b.putDerived(c, doc, io.NewSectionReader(c.bytes, 0, c.size), false)
}

// putDerived writes the text of a conversion, or holds back a copy of it. A text that is not known to be UTF-8 is
// decoded.
func (b *builder) putDerived(c *conversionTask, doc Document, r io.Reader, known bool) error {
	done := func() error { return nil }
	if b.first == nil && len(b.docs) == 0 {
		var err error
		if r, done, err = copied(r); err != nil {
			return err
		}
	}
	return b.put(pendingDocument{func(header bool) error { return b.derived(c, doc, r, known, header) }, done})
}

func (b *builder) derived(c *conversionTask, doc Document, r io.Reader, known, header bool) error {
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
		doc.remark("reading stopped: " + reason(why.error))
	}
	doc.remark(text.remarks()...)
	doc.Encoding, doc.Replaced = text.encoding, text.replaced
	if c.ended() {
		doc.Hash = c.hash
	}
	b.end(doc)
	return nil
}
