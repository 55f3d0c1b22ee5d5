package pdf

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/font"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// Limits of what is cached between pages.
const (
	maxFonts    = 256
	maxFormData = 8 << 20
)

// document is a PDF that is being converted.
type document struct {
	ctx  context.Context
	file *syntax.File
	out  format.Output

	fonts     map[int]*font.Font // fonts by object number
	forms     map[int][]byte     // contents of forms, by object number
	formBytes int
	layersOff map[int]bool
	labels    labels

	count   int // pages so far
	empty   int // pages without text before the first one with text
	written bool
	blank   pageList // pages without text
	scans   int      // blank pages with a picture
	vectors int      // blank pages with only lines and areas
	unread  pageList // pages with most glyphs of unknown characters
	partly  pageList // pages with some glyphs of unknown characters
	guessed pageList // pages with some guessed characters
}

func newDocument(ctx context.Context, file *syntax.File, out format.Output) *document {
	d := &document{
		ctx: ctx, file: file, out: out, fonts: map[int]*font.Font{}, forms: map[int][]byte{},
		layersOff: map[int]bool{},
	}
	root := file.Root()
	layers := file.Dict(file.Dict(root["OCProperties"])["D"])
	for _, o := range file.Array(layers["OFF"]) {
		if ref, ok := o.(syntax.Ref); ok {
			d.layersOff[ref.Num] = true
		}
	}
	d.labels = readLabels(file, root["PageLabels"])
	return d
}

// off reports whether a layer is hidden when the document is opened.
func (d *document) off(o any) bool {
	ref, ok := o.(syntax.Ref)
	return ok && d.layersOff[ref.Num]
}

// named returns a font by its name in the resources.
func (d *document) named(res *resources, n syntax.Name) *font.Font {
	if f, ok := res.fonts[n]; ok {
		return f
	}
	f := d.font(d.file.Dict(res.dict["Font"])[n])
	if res.fonts == nil {
		res.fonts = map[syntax.Name]*font.Font{}
	}
	if len(res.fonts) < maxFonts {
		res.fonts[n] = f
	}
	return f
}

func (d *document) font(o any) *font.Font {
	ref, _ := o.(syntax.Ref)
	if f, ok := d.fonts[ref.Num]; ok && ref.Num != 0 {
		return f
	}
	f := font.Load(d.file, d.file.Dict(o))
	if len(d.fonts) >= maxFonts {
		clear(d.fonts)
	}
	d.fonts[ref.Num] = f
	return f
}

// formData returns the content of a form. It caches it, because forms are often drawn repeatedly.
func (d *document) formData(s *syntax.Stream) []byte {
	if b, ok := d.forms[s.Ref.Num]; ok && s.Ref.Num != 0 {
		return b
	}
	b, _ := d.file.Data(s)
	if d.formBytes += len(b) + 64; d.formBytes > maxFormData {
		clear(d.forms)
		d.formBytes = len(b)
	}
	d.forms[s.Ref.Num] = b
	return b
}

// head writes the document's metadata.
func (d *document) head() error {
	info := d.file.Dict(d.file.Trailer["Info"])
	for _, m := range []struct {
		key  syntax.Name
		name string
	}{
		{"Title", "Title"},
		{"Author", "Author"},
		{"Subject", "Subject"},
		{"Keywords", "Keywords"},
		{"CreationDate", "Created"},
		{"ModDate", "Modified"},
	} {
		s := d.file.String(info[m.key])
		text := textString(s[:min(len(s), 4<<10)])
		if strings.HasSuffix(string(m.key), "Date") {
			text = date(text)
		}
		if err := d.out.Meta(m.name, strings.Trim(text, "\x00 ")); err != nil {
			return err
		}
	}
	return nil
}

// pageList is a list of ascending page numbers, stored as ranges.
type pageList struct {
	count int
	spans [][2]int
}

func (l *pageList) add(n int) {
	l.count++
	if k := len(l.spans); k > 0 && l.spans[k-1][1] == n-1 {
		l.spans[k-1][1] = n
		return
	}
	l.spans = append(l.spans, [2]int{n, n})
}

// String returns the numbers: "3-9, 11, 14-17". A very long list is truncated.
func (l *pageList) String() string {
	var b strings.Builder
	for i, s := range l.spans {
		if i == 40 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(s[0]))
		if s[1] > s[0] {
			fmt.Fprintf(&b, "-%d", s[1])
		}
	}
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
