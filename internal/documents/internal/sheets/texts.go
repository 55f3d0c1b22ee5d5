package sheets

import (
	"bytes"
	"unsafe"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// chunk is how many bytes of texts are kept together: no growing copies of a table that can have hundreds of megabytes.
const chunk = 1 << 20

// texts is the table of texts that cells refer to by number.
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

// get is a text of the table, which never changes what it has; it is empty for a number that the table does not have.
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

// richText is the text of x:si or x:is, which has just started: that of its runs, without the readings of East Asian
// signs.
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
