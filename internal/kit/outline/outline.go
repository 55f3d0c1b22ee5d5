// Package outline records the parts of a document: its pages, sheets, chapters. A document has thousands of parts
// and a context thousands of documents, so a list of parts is packed wherever it is stored.
package outline

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// Part is a piece of a document that people would name when they cite a place.
type Part struct {
	Kind   string // page, slide, sheet, table, chapter, message, cell, main text, beside the main text
	Number int    // counts the parts of a kind in the document, from 1; 0 for the two parts of a web page
	Name   string // name of a sheet, table or chapter; subject of a message; often empty
	Offset int64  // in bytes, from the beginning of the document
	Size   int64  // in bytes
}

// String names the part for people: "page 12", "sheet 2 (Costs 2025)".
func (p Part) String() string {
	if p.Number == 0 && p.Name == "" {
		return p.Kind
	}
	if p.Name == "" {
		return fmt.Sprintf("%s %d", p.Kind, p.Number)
	}
	return fmt.Sprintf("%s %d (%s)", p.Kind, p.Number, p.Name)
}

// List is the parts of one document in order. They do not overlap. As text, and in JSON, each part takes a few bytes.
type List []Part

// Most is the largest number of parts that UnmarshalText accepts.
const Most = 1 << 20

// Pages counts the parts that measure a document's length for people: pages and slides.
func (l List) Pages() int {
	n := 0
	for _, p := range l {
		if p.Kind == "page" || p.Kind == "slide" {
			n++
		}
	}
	return n
}

// At returns the part that contains an offset in the document.
func (l List) At(offset int64) (p Part, ok bool) {
	i := sort.Search(len(l), func(i int) bool { return l[i].Offset > offset }) - 1
	if i < 0 || offset >= l[i].Offset+l[i].Size {
		return Part{}, false
	}
	return l[i], true
}

// Within returns the parts of a range of the document, cut at its ends, with offsets from the beginning of the
// range.
func (l List) Within(offset, size int64) List {
	var out List
	i := sort.Search(len(l), func(i int) bool { return l[i].Offset+l[i].Size > offset })
	for _, p := range l[i:] {
		from, to := max(p.Offset, offset), min(p.Offset+p.Size, offset+size)
		if p.Offset >= offset+size {
			break
		}
		if from < to {
			p.Offset, p.Size = from-offset, to-from
			out = append(out, p)
		}
	}
	return out
}

// Check rejects a list whose parts overlap or are outside of a document of the given size.
func (l List) Check(size int64) error {
	end := int64(0)
	for _, p := range l {
		if p.Offset < end || p.Size < 0 || p.Offset > size-p.Size {
			return fmt.Errorf("%s lies outside of its document or overlaps another part", p)
		}
		end = p.Offset + p.Size
	}
	return nil
}

// Flags of a packed part: they mark what differs from the preceding part.
const (
	hasKind   = 1 << iota // the kind differs
	hasNumber             // the number is not the next one
	hasName
)

// MarshalText packs the list and writes it in base64.
func (l List) MarshalText() ([]byte, error) {
	b := l.pack()
	return base64.StdEncoding.AppendEncode(make([]byte, 0, base64.StdEncoding.EncodedLen(len(b))), b), nil
}

func (l List) pack() []byte {
	b := make([]byte, 0, 6*len(l))
	kind, number, end := "", 0, int64(0)
	for _, p := range l {
		flags := byte(0)
		if p.Kind != kind {
			flags |= hasKind
		}
		if p.Number != number+1 {
			flags |= hasNumber
		}
		if p.Name != "" {
			flags |= hasName
		}
		b = append(b, flags)
		if flags&hasKind != 0 {
			b = appendText(b, p.Kind)
		}
		if flags&hasNumber != 0 {
			b = binary.AppendVarint(b, int64(p.Number))
		}
		if flags&hasName != 0 {
			b = appendText(b, p.Name)
		}
		b = binary.AppendVarint(b, p.Offset-end)
		b = binary.AppendVarint(b, p.Size)
		kind, number, end = p.Kind, p.Number, p.Offset+p.Size
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// errDamaged means that packed parts are invalid.
var errDamaged = errors.New("the list of parts is damaged")

// UnmarshalText unpacks a list.
func (l *List) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return errDamaged
	}
	r := unpacker{rest: b}
	out := List{}
	var p Part
	for len(r.rest) > 0 {
		if len(out) == Most {
			return fmt.Errorf("more than %d parts", Most)
		}
		flags := r.rest[0]
		r.rest = r.rest[1:]
		p.Number++
		p.Name = ""
		if flags&hasKind != 0 {
			p.Kind = r.text()
		}
		if flags&hasNumber != 0 {
			p.Number = int(r.number())
		}
		if flags&hasName != 0 {
			p.Name = r.text()
		}
		p.Offset += p.Size + r.number()
		p.Size = r.number()
		if r.damaged {
			return errDamaged
		}
		out = append(out, p)
	}
	*l = out
	return nil
}

// unpacker reads what pack has written.
type unpacker struct {
	rest    []byte
	damaged bool
}

func (r *unpacker) number() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.damaged = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *unpacker) text() string {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > uint64(len(r.rest)-n) {
		r.damaged = true
		return ""
	}
	s := string(r.rest[n : n+int(v)])
	r.rest = r.rest[n+int(v):]
	return s
}
