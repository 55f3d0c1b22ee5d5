package opendocument

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

const (
	maxNested   = 64      // levels of nested tables, text boxes and lists
	maxRepeated = 1000    // cells or rows of a text table that one element represents
	maxCopies   = 4 << 20 // bytes that repeated cells and rows may add to a document
)

var errNested = errors.New("its tables, lists and text boxes are nested too deeply")

// openList is a list that is being read.
type openList struct {
	style  string
	number int  // number of enclosing lists, which is the level
	fresh  bool // the next paragraph is the first of its item
}

// blocks reads paragraphs, lists and tables up to the end of the current element.
func (d *document) blocks(r *xmlread.Reader, w *markdown.Writer) error {
	if d.nested++; d.nested > maxNested {
		return errNested
	}
	defer func() { d.nested-- }()
	return r.Inside(func() error { return d.block(r, w) })
}

// block reads one element. If it returns without consuming the element, blocks descends into it.
func (d *document) block(r *xmlread.Reader, w *markdown.Writer) error {
	switch r.Name {
	case "text:p", "text:h":
		return d.paragraph(r, w)
	case "text:list":
		return d.list(r, w)
	case "table:table":
		return d.table(r, w)
	case "text:section":
		if r.Attr("text:display") == "none" {
			return r.Skip()
		}
	case "text:table-of-content", "text:alphabetical-index", "text:illustration-index", "text:table-index",
		"text:object-index", "text:user-index",
		"text:bibliography", "text:index-body", "text:index-title", "text:numbered-paragraph", "draw:a", "draw:g":
	case "draw:frame", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:polygon",
		"draw:path", "draw:connector",
		"draw:caption", "draw:polyline", "draw:regular-polygon":
		return d.shape(r, w)
	default:
		return r.Skip() // including text:tracked-changes, which stores deleted text
	}
	return nil
}

// list reads a list. A nested list continues the style of the outer one on the next level.
func (d *document) list(r *xmlread.Reader, w *markdown.Writer) error {
	l := openList{style: r.Attr("text:style-name"), number: len(d.lists)}
	if l.style == "" && len(d.lists) > 0 {
		l.style = d.lists[len(d.lists)-1].style
	}
	at := min(l.number, maxLevels-1)
	counts := d.counts[l.style]
	if counts == nil {
		counts = &[maxLevels]int{}
		d.counts[l.style] = counts
	}
	if r.Attr("text:continue-numbering") != "true" && r.Attr("text:continue-list") == "" {
		start := 1
		if levels := d.styles.lists[l.style]; levels != nil {
			start = max(levels[at].start, 0)
		}
		counts[at] = start - 1
	}
	if d.nested++; d.nested > maxNested {
		return errNested
	}
	d.lists = append(d.lists, l)
	defer func() {
		d.nested--
		d.lists = d.lists[:len(d.lists)-1]
	}()
	return r.Inside(func() error {
		top := &d.lists[len(d.lists)-1]
		if top.fresh = r.Name == "text:list-item"; top.fresh {
			if n, err := strconv.Atoi(r.Attr("text:start-value")); err == nil {
				counts[at] = n - 1
			}
		}
		return d.blocks(r, w)
	})
}

// place writes a paragraph or a heading, inside or outside a list.
func (d *document) place(w *markdown.Writer, text string, heading int, named string) error {
	empty := strings.TrimSpace(text) == ""
	number := ""
	n := len(d.lists) - 1
	if n >= 0 && d.lists[n].fresh {
		l := &d.lists[n]
		l.fresh = false
		if levels := d.styles.lists[l.style]; levels != nil {
			at := min(n, maxLevels-1)
			counts := d.counts[l.style]
			counts[at]++
			number = marker(levels, counts, at)
		} else {
			number = "-"
		}
	}
	if heading > 0 {
		if n < 0 {
			number = d.headingNumber(heading, empty)
		}
		if number == "-" {
			number = ""
		}
		return w.Heading(heading, strings.TrimSpace(number+" "+strings.TrimSpace(text)))
	}
	switch {
	case n < 0 && (named == preformatted || d.find("paragraph", named, func(s *style) bool { return s.program })):
		return w.Program(text)
	case empty:
		return w.Err()
	case n >= 0 && number != "":
		return w.Item(n, number, text)
	case n >= 0:
		return w.Item(n+1, "", text)
	case named == "Title" || d.find("paragraph", named, func(s *style) bool { return s.title }):
		return w.Heading(1, text)
	}
	return w.Paragraph(text)
}

// headingNumber returns the outline number of a heading.
func (d *document) headingNumber(heading int, empty bool) string {
	at := min(heading, maxLevels) - 1
	counts := d.counts["\x00outline"]
	if counts == nil {
		counts = &[maxLevels]int{}
		d.counts["\x00outline"] = counts
	}
	if empty || d.outline[at].format == "" {
		return ""
	}
	counts[at]++
	clear(counts[at+1:])
	return marker(&d.outline, counts, at)
}

// table reads a text table. The text of merged cells is in the first of them.
func (d *document) table(r *xmlread.Reader, w *markdown.Writer) error {
	lists := d.lists
	d.lists = nil
	defer func() { d.lists = lists }()
	var (
		rows   [][]string
		row    []string
		repeat int
	)
	err := r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.End && r.Name == "table:table-row":
			for range d.copies(repeat, 1+len(strings.Join(row, " "))) {
				rows = append(rows, append([]string(nil), row...))
			}
			row = nil
		case kind != xmlread.Start:
		case r.Name == "table:table-row":
			row, repeat = nil, repeated(r, "table:number-rows-repeated")
		case r.Name == "table:table-cell", r.Name == "table:covered-table-cell":
			n := repeated(r, "table:number-columns-repeated")
			covered := r.Name == "table:covered-table-cell"
			var text strings.Builder
			if err := d.blocks(r, markdown.Flat(&text)); err != nil {
				rows = append(rows, append(row, text.String()))
				return err
			}
			if covered {
				text.Reset()
			}
			for range d.copies(n, 1+text.Len()) {
				row = append(row, text.String())
			}
		case r.Name == "table:table-header-rows", r.Name == "table:table-rows", r.Name == "table:table-row-group":
		default:
			return r.Skip()
		}
		return nil
	})
	return errors.Join(w.Table(rows), err)
}

// copies returns how many of n equal cells or rows are written.
func (d *document) copies(n, size int) int {
	n = min(n, 1+(maxCopies-d.copied)/size)
	d.copied += (n - 1) * size
	return n
}

// repeated returns how many cells or rows an element represents.
func repeated(r *xmlread.Reader, attr string) int {
	n, err := strconv.Atoi(r.Attr(attr))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxRepeated)
}
