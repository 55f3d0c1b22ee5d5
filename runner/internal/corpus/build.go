package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"
)

// Build reads sources into one text. A path that does not exist or cannot be read is an error that names it; inside a folder it is skipped and listed.
// Sources that hold no text at all are an error that says why; no sources make an empty text.
//
// When ctx is done Build returns its error; a Reader that blocks is given up.
func Build(ctx context.Context, sources []Source) (*Text, error) {
	found, err := list(ctx, sources)
	if err != nil {
		return nil, err
	}
	var size int64
	for _, c := range found.found {
		size += c.size
	}
	s, err := newStore(size)
	if err != nil {
		return nil, err
	}
	return build(ctx, found, s, newTally(), &Text{})
}

// Append makes a new text that begins with this one and goes on with more sources: what is at an offset now stays there.
func (t *Text) Append(ctx context.Context, sources []Source) (*Text, error) {
	found, err := list(ctx, sources)
	if err != nil {
		return nil, err
	}
	size := t.Size()
	for _, c := range found.found {
		size += c.size
	}
	s, err := newStore(size)
	if err != nil {
		return nil, err
	}
	if err := s.copyFrom(t.file, t.Size()); err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	counted, err := t.tally.clone()
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return build(ctx, found, s, counted, t)
}

// list finds what there is to read.
func list(ctx context.Context, sources []Source) (*lister, error) {
	l := &lister{ctx: ctx, seen: map[string]bool{}}
	for _, s := range sources {
		if err := l.add(s); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// builder writes documents one after the other.
type builder struct {
	*writer
	ctx   context.Context
	found *lister
	docs  []Document
}

// build writes what was found behind the text that is in the store already and seals the whole.
func build(ctx context.Context, found *lister, s *store, counted *tally, before *Text) (*Text, error) {
	b := &builder{writer: newWriter(s, counted), ctx: ctx, found: found, docs: before.Documents()}
	err := b.documents()
	b.finish()
	if err == nil {
		err = b.anything(before)
	}
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return s.text(counted, b.docs, append(before.Skipped(), found.skipped...))
}

// text seals the store.
func (s *store) text(counted *tally, docs []Document, skipped []Skipped) (*Text, error) {
	file, err := s.seal()
	if err != nil {
		return nil, err
	}
	t := &Text{file: file, docs: docs, skipped: skipped, tally: counted}
	t.facts = t.describe()
	return t, nil
}

// describe completes the facts with what is known about documents.
func (t *Text) describe() Facts {
	f := t.tally.facts()
	f.Documents = len(t.docs)
	f.Encodings = map[string]int{}
	for _, d := range t.docs {
		f.Encodings[d.Encoding]++
		f.Replaced += d.Replaced
	}
	return f
}

// documents writes all that is text. The first document waits for the second: only of several does each get a header.
func (b *builder) documents() error {
	first, err := b.open()
	if err != nil || first == nil {
		return err
	}
	second, err := b.open()
	if err != nil {
		return errors.Join(err, first.src.Close())
	}
	several := second != nil || len(b.docs) > 0
	for doc := first; doc != nil; {
		if err := b.document(doc, several); err != nil {
			if second != nil && doc != second {
				err = errors.Join(err, second.src.Close())
			}
			return err
		}
		doc, second = second, nil
		if doc == nil {
			if doc, err = b.open(); err != nil {
				return err
			}
		}
	}
	return nil
}

// opened is a candidate that turned out to be text.
type opened struct {
	candidate
	src  *counted
	head []byte
}

// counted counts the bytes of a file as they are read: it may grow meanwhile.
type counted struct {
	io.ReadCloser
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	return n, err
}

// open returns the next candidate that is text, nil at the end.
func (b *builder) open() (*opened, error) {
	for len(b.found.found) > 0 {
		c := b.found.found[0]
		b.found.found = b.found.found[1:]
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		file, err := c.open()
		src := &counted{ReadCloser: file}
		var head []byte
		if err == nil {
			head, err = readHead(src)
			if err != nil {
				err = errors.Join(err, src.Close())
			}
		}
		switch {
		case b.ctx.Err() != nil:
			return nil, b.ctx.Err()
		case err != nil && c.named:
			return nil, unreadable(c.name, err)
		case err != nil:
			b.found.skip(c.name, "unreadable: "+reason(err))
			continue
		}
		if kind := binaryKind(head); kind != "" && !c.text && wideCharset(head) == nil {
			b.found.skip(c.name, "binary ("+kind+")")
			if err := src.Close(); err != nil {
				return nil, unreadable(c.name, err)
			}
			continue
		}
		return &opened{c, src, head}, nil
	}
	return nil, nil
}

func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// document writes one document.
func (b *builder) document(o *opened, header bool) error {
	defer o.src.Close() // opened for reading
	if header {
		if _, err := b.Write([]byte(b.header(o.name))); err != nil {
			return err
		}
	}
	doc := Document{Name: o.name, Offset: b.store.size}
	r := newUTF8Reader(io.MultiReader(bytes.NewReader(o.head), o.src), o.head, o.text)
	for {
		buf := b.piece()
		text, err := r.next(buf)
		if werr := b.write(buf, text); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if cerr := b.ctx.Err(); cerr != nil {
			return cerr
		}
		if err != nil {
			if o.named {
				return unreadable(o.name, err)
			}
			doc.Note = fmt.Sprintf("reading stopped after %d bytes: %s; the rest is missing", b.store.size-doc.Offset, reason(err))
			break
		}
	}
	doc.Size = b.store.size - doc.Offset
	doc.Encoding, doc.Replaced = r.encoding, r.replaced
	if doc.File = o.file; doc.File != nil {
		doc.File.Size = o.src.n
	}
	b.docs = append(b.docs, doc)
	return nil
}

// header is what stands before a document.
func (b *builder) header(name string) string {
	line := fmt.Sprintf("=== document %d: %s ===\n", len(b.docs)+1, oneLine(name))
	switch {
	case b.store.size == 0:
		return line
	case b.last == '\n':
		return "\n" + line
	}
	return "\n\n" + line
}

// oneLine keeps a file name from looking like text of the document.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// anything returns an error if there were sources and none held text.
func (b *builder) anything(before *Text) error {
	if len(b.docs) > len(before.docs) || len(b.found.skipped) == 0 && !b.found.folders {
		return nil
	}
	if len(b.found.skipped) == 0 {
		return errors.New("there is nothing to read: the folder is empty")
	}
	const most = 5
	var why []string
	for i, s := range b.found.skipped {
		if i == most {
			why = append(why, fmt.Sprintf("and %d more", len(b.found.skipped)-most))
			break
		}
		why = append(why, path.Clean(s.Name)+": "+s.Reason)
	}
	return fmt.Errorf("nothing here can be read as text: %s", strings.Join(why, "; "))
}
