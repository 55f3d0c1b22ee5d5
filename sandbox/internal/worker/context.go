package worker

import (
	"cmp"
	"fmt"
	"os"
	"unsafe"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// mapping is the context as cells see it: strings over memory that is mapped read-only and shared with all workers
// of the tree. It is never unmapped, because values of earlier cells may point into it.
type mapping struct {
	text string
	docs []repl.Doc
}

// open maps the range of the attached file that t describes. Without a file the context is empty.
func (m *mapping) open(t wire.Text, files []*os.File) error {
	next := mapping{}
	if t.Size > 0 {
		file, err := contextFile(t, files)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		b, err := mapFile(file, t.Offset, t.Size)
		if err != nil {
			return err
		}
		next.text = unsafe.String(unsafe.SliceData(b), len(b))
	}
	next.docs = make([]repl.Doc, len(t.Docs))
	for i, d := range t.Docs {
		if d.Offset < 0 || d.Size < 0 || d.Offset > t.Size-d.Size {
			return fmt.Errorf("document %q lies outside of the context", d.Name)
		}
		if err := d.Parts.Check(d.Size); err != nil {
			return fmt.Errorf("document %q: %w", d.Name, err)
		}
		next.docs[i] = document(d, next.text[d.Offset:d.Offset+d.Size])
	}
	*m = next
	return nil
}

// document returns a document as cells see it.
func document(d wire.Doc, text string) repl.Doc {
	doc := repl.Doc{Name: d.Name, Text: text, Kind: cmp.Or(d.Kind, "text"), Pages: d.Parts.Pages(), Notes: d.Notes}
	if len(d.Parts) > 0 {
		doc.Parts = make([]repl.Part, len(d.Parts))
	}
	for i, p := range d.Parts {
		doc.Parts[i] = repl.Part{
			Kind: p.Kind, Number: p.Number, Name: p.Name, Offset: int(p.Offset), Text: text[p.Offset : p.Offset+p.Size],
		}
	}
	return doc
}

// find returns the offset of s in the context; in reports whether s is a slice of it.
func (m *mapping) find(s string) (offset int64, in bool) {
	if len(s) == 0 || len(m.text) == 0 {
		return 0, false
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	from := uintptr(unsafe.Pointer(unsafe.StringData(m.text)))
	if at < from || at-from > uintptr(len(m.text)) || uintptr(len(s)) > uintptr(len(m.text))-(at-from) {
		return 0, false
	}
	return int64(at - from), true
}
