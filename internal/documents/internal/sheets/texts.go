package sheets

import (
	"bytes"
	"unsafe"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// chunk is the size, in bytes, in which texts are stored: appending to a single slice would copy hundreds of
// megabytes.
const chunk = 1 << 20

// texts is the table of shared strings.
type texts struct {
	chunks [][]byte
	places []stringRef
}

type stringRef struct{ chunk, start, end uint32 }

func (t *texts) add(s []byte) {
	n := len(t.chunks) - 1
	if n < 0 || len(t.chunks[n])+len(s) > cap(t.chunks[n]) {
		t.chunks = append(t.chunks, make([]byte, 0, max(chunk, len(s))))
		n++
	}
	start := len(t.chunks[n])
	t.chunks[n] = append(t.chunks[n], s...)
	t.places = append(t.places, stringRef{uint32(n), uint32(start), uint32(start + len(s))})
}

// get returns a text by its number; empty if there is none. Texts never change once added.
func (t *texts) get(i int) string {
	if i < 0 || i >= len(t.places) {
		return ""
	}
	p := t.places[i]
	b := t.chunks[p.chunk][p.start:p.end]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (b *workbook) readTexts(name string) error {
	var text []byte
	return b.pkg.Elements(name, func(r *xmlread.Reader) (err error) {
		if r.Name != "x:si" {
			return nil
		}
		if text, err = richText(r, text[:0]); err != nil {
			return err
		}
		if bytes.Contains(text, escaped) {
			text = []byte(unescape(string(text)))
		}
		b.texts.add(text)
		return nil
	})
}

var escaped = []byte("_x")

// richText returns the text of the current element, x:si or x:is: its runs, without phonetic readings.
func richText(r *xmlread.Reader, text []byte) ([]byte, error) {
	inside := false
	err := r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.Text && inside:
			text = append(text, r.Text...)
		case kind == xmlread.Start && r.Name == "x:rPh":
			inside = false
			return r.Skip()
		case kind != xmlread.Text:
			inside = kind == xmlread.Start && r.Name == "x:t"
		}
		return nil
	})
	return text, err
}
