package opendocument

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/equation"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// note is a footnote, an endnote or a comment.
type note struct{ label, text string }

// maxSpaces limits a run of spaces.
const maxSpaces = 1000

// text is the text of a paragraph read so far.
type text struct {
	b     []byte
	boxes []string // text boxes anchored in the paragraph, as Markdown
}

// paragraph reads and writes a paragraph or a heading.
func (d *document) paragraph(r *xmlread.Reader, w *markdown.Writer) error {
	heading, named := 0, r.Attr("text:style-name")
	if r.Name == "text:h" {
		heading = 1
		if n, err := strconv.Atoi(r.Attr("text:outline-level")); err == nil {
			heading = max(n, 1)
		}
	}
	var t text
	hidden := d.isHidden("paragraph", named)
	err := d.inline(r, &t)
	if hidden {
		return err
	}
	if err := d.place(w, string(t.b), heading, named); err != nil {
		return err
	}
	for _, box := range t.boxes {
		if err := w.Raw(box); err != nil {
			return err
		}
	}
	return err
}

// inline reads text up to the end of the current element.
func (d *document) inline(r *xmlread.Reader, t *text) error {
	if d.nested++; d.nested > maxInline {
		return errNested
	}
	defer func() { d.nested-- }()
	return r.Walk(func(kind xmlread.Kind) error {
		switch kind {
		case xmlread.Text:
			t.add(r.Text)
		case xmlread.Start:
			return d.piece(r, t)
		}
		return nil
	})
}

// maxInline limits the nesting of elements within text.
const maxInline = 300

// add adds text, with runs of white space collapsed to single spaces.
func (t *text) add(b []byte) {
	for _, c := range b {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			if n := len(t.b); n == 0 || t.b[n-1] == ' ' || t.b[n-1] == '\n' {
				continue
			}
			c = ' '
		}
		t.b = append(t.b, c)
	}
}

// piece reads an element inside a paragraph.
func (d *document) piece(r *xmlread.Reader, t *text) error {
	start := len(t.b)
	switch r.Name {
	case "text:s":
		n, err := strconv.Atoi(r.Attr("text:c"))
		if err != nil {
			n = 1
		}
		t.b = append(t.b, strings.Repeat(" ", min(max(n, 1), maxSpaces))...)
	case "text:tab":
		t.b = append(t.b, '\t')
	case "text:line-break":
		t.b = append(t.b, '\n')
	case "text:span":
		named := r.Attr("text:style-name")
		boxes := len(t.boxes)
		err := d.inline(r, t)
		d.raise(t, start, named)
		if d.isHidden("text", named) {
			t.b, t.boxes = t.b[:start], t.boxes[:boxes]
		}
		return err
	case "text:a":
		url := r.Attr("xlink:href")
		err := d.inline(r, t)
		if d.cells {
			return err // the text of a cell is a value
		}
		if !strings.HasPrefix(url, "#") && !strings.HasPrefix(url, "../") {
			t.b = append(t.b[:start], markdown.Link(string(t.b[start:]), url)...)
		}
		return err
	case "text:ruby-text":
		t.b = append(t.b, '(')
		err := d.inline(r, t)
		t.b = append(t.b, ')')
		return err
	case "text:note":
		return d.note(r, t)
	case "office:annotation":
		return d.annotation(r, t)
	case "text:page-number", "text:page-count":
		if d.margin {
			return r.Skip()
		}
		return d.inline(r, t)
	case "text:hidden-text", "text:hidden-paragraph", "text:script", "office:annotation-end", "office:event-listeners",
		"text:tracked-changes", "svg:desc":
		return r.Skip()
	case "draw:frame", "draw:custom-shape", "draw:rect", "draw:g", "draw:ellipse", "draw:circle", "draw:line",
		"draw:caption", "draw:path":
		return d.anchored(r, t)
	default:
		return d.inline(r, t) // fields and reference marks, whose text is their value
	}
	return r.Skip()
}

// raise writes raised or lowered numbers as superscripts or subscripts.
func (d *document) raise(t *text, start int, named string) {
	d.find("text", named, func(s *style) bool {
		if s.raised != 0 {
			t.b = append(t.b[:start], markdown.Shifted(string(t.b[start:]), s.raised)...)
		}
		return s.raised != 0
	})
}

// note stores a footnote or an endnote and writes its mark.
func (d *document) note(r *xmlread.Reader, t *text) error {
	prefix := ""
	if r.Attr("text:note-class") == "endnote" {
		prefix = "e"
	}
	label := d.label(prefix)
	t.b = append(t.b, "[^"+label+"]"...)
	at := len(d.notes)
	d.notes = append(d.notes, note{label: label})
	return r.Inside(func() (err error) {
		if r.Name != "text:note-body" {
			return r.Skip()
		}
		d.notes[at].text, err = d.flat(r)
		return err
	})
}

// label returns the next label of a kind of note.
func (d *document) label(prefix string) string {
	counts := d.counts["\x00note"+prefix]
	if counts == nil {
		counts = &[maxLevels]int{}
		d.counts["\x00note"+prefix] = counts
	}
	counts[0]++
	return prefix + strconv.Itoa(counts[0])
}

// flat returns the text of blocks as lines.
func (d *document) flat(r *xmlread.Reader) (string, error) {
	lists := d.lists
	d.lists = nil
	var text strings.Builder
	err := d.blocks(r, markdown.Flat(&text))
	d.lists = lists
	return text.String(), err
}

// annotation stores a comment and writes its mark.
func (d *document) annotation(r *xmlread.Reader, t *text) error {
	label := d.label("c")
	t.b = append(t.b, "[^"+label+"]"...)
	at := len(d.notes)
	d.notes = append(d.notes, note{label: label})
	line, err := d.comment(r)
	d.notes[at].text = line
	return err
}

// comment returns the text of a comment after its author and date: "Comment by Ann, 2025-03-01: …".
func (d *document) comment(r *xmlread.Reader) (string, error) {
	head := "Comment"
	var body strings.Builder
	flat := markdown.Flat(&body)
	err := r.Inside(func() (err error) {
		var value string
		switch r.Name {
		case "dc:creator":
			value, err = r.Inner()
			head += " by " + strings.TrimSpace(value)
		case "dc:date":
			value, err = r.Inner()
			day, _, _ := strings.Cut(value, "T")
			head += ", " + day
		case "meta:date-string", "meta:creator-initials":
			err = r.Skip()
		default:
			err = d.block(r, flat)
		}
		return err
	})
	return head + ": " + body.String(), err
}

// writeNotes writes all notes. Endnotes have no letter before their number if there are no footnotes.
func (d *document) writeNotes(w *markdown.Writer) error {
	for _, n := range d.notes {
		if err := w.Note(n.label, n.text); err != nil {
			return err
		}
	}
	return w.Err()
}

// anchored reads an object anchored in a paragraph: an equation or the description of a picture becomes part of the
// text, a text box follows the paragraph.
func (d *document) anchored(r *xmlread.Reader, t *text) error {
	lists := d.lists
	d.lists = nil
	defer func() { d.lists = lists }()
	var box strings.Builder
	w := markdown.New(&box)
	said, err := d.frame(r, w)
	t.b = append(t.b, said...)
	if box.Len() > 0 {
		t.boxes = append(t.boxes, box.String())
	}
	return err
}

// shape reads a shape between paragraphs.
func (d *document) shape(r *xmlread.Reader, w *markdown.Writer) error {
	said, err := d.frame(r, w)
	return errors.Join(w.Paragraph(said), err)
}

// frame writes the blocks of a frame or another shape; said is the part that belongs in the text.
func (d *document) frame(r *xmlread.Reader, w *markdown.Writer) (said string, err error) {
	if d.nested++; d.nested > maxInline {
		return "", errNested
	}
	defer func() { d.nested-- }()
	table := false
	err = r.Inside(func() (err error) {
		switch r.Name {
		case "draw:text-box":
			err = d.blocks(r, w)
		case "draw:object":
			var text string
			text, err = d.object(r.Attr("xlink:href"), w)
			said += text
			if err == nil {
				err = r.Skip()
			}
		case "svg:desc", "svg:title":
			var text string
			text, err = r.Inner()
			if text = strings.Join(strings.Fields(text), " "); text != "" && !strings.Contains(said, text) {
				said += "[image: " + text + "]"
			}
		case "table:table":
			table = true
			err = d.table(r, w)
		case "draw:image":
			if !table {
				err = d.blocks(r, w)
			} else {
				err = r.Skip()
			}
		default:
			err = d.block(r, w)
		}
		return err
	})
	return said, err
}

// object reads an equation or a chart, which is a separate document in the archive.
func (d *document) object(href string, w *markdown.Writer) (string, error) {
	if href == "" {
		return "", nil
	}
	if d.nested++; d.nested > maxNested {
		return "", errNested
	}
	defer func() { d.nested-- }()
	said := ""
	err := d.Elements(container.Clean(href)+"/content.xml", func(r *xmlread.Reader) (err error) {
		switch r.Name {
		case "math:math":
			said, err = equation.Read(r)
		case "chart:title":
			var title string
			if title, err = d.flat(r); title != "" {
				err = errors.Join(w.Paragraph("Chart: "+title), err)
			}
		case "table:table":
			err = d.table(r, w)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return said, d.Optional("an object", err)
}
