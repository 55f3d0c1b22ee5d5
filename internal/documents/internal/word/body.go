package word

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/equation"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

const (
	maxNested = 32   // tables in tables, text boxes in text boxes
	maxSpan   = 1000 // columns of one cell
)

var errNested = errors.New("its tables and text boxes are nested too deeply")

// blocks reads paragraphs and tables up to the end of the element that has just started. If that is a cell, s is what
// it says of itself.
func (d *document) blocks(r *xmlread.Reader, w *markdown.Writer, s *columnSpan) error {
	if d.nested++; d.nested > maxNested {
		return errNested
	}
	defer func() { d.nested-- }()
	var before pendingParagraph
	err := r.Inside(func() (err error) {
		switch r.Name {
		case "w:p":
			before, err = d.paragraph(r, w, before)
		case "w:tbl":
			if err = d.flush(w, before); err == nil {
				err = d.table(r, w)
			}
			before = pendingParagraph{}
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag":
		case "m:oMathPara", "m:oMath":
			err = d.displayed(r, w)
		case "w:tcPr":
			if s == nil {
				s = &columnSpan{}
			}
			err = s.read(r)
		default:
			err = r.Skip()
		}
		return err
	})
	return errors.Join(d.flush(w, before), err)
}

// displayed writes an equation that stands between paragraphs.
func (d *document) displayed(r *xmlread.Reader, w *markdown.Writer) error {
	text, err := equation.Read(r)
	return errors.Join(w.Paragraph(text), err)
}

// pendingParagraph is a paragraph whose mark is deleted or hidden: it goes on in the next one.
type pendingParagraph struct {
	text    string
	heading int
}

func (d *document) flush(w *markdown.Writer, c pendingParagraph) error {
	if c.heading > 0 {
		return w.Heading(c.heading, c.text)
	}
	return w.Paragraph(c.text)
}

// write writes a paragraph as what its style and its numbering make of it.
func (d *document) write(w *markdown.Writer, p *paragraph, before pendingParagraph) (pendingParagraph, error) {
	s := d.style(p.style)
	outline := p.outline
	if outline < 0 {
		outline = s.outline
	}
	numID, at := p.numID, p.level
	if numID == "" {
		if numID = s.numID; at < 0 {
			at = s.level
		}
	}
	if at < 0 {
		at = d.levelOf(numID, p.style)
	}
	heading := before.heading
	if heading == 0 && outline >= 0 && outline < levels {
		heading = outline + 1
	}
	text := before.text + string(p.text)
	if p.joined {
		return pendingParagraph{text, heading}, nil
	}
	var err error
	switch marker, listed := "", false; {
	case strings.TrimSpace(text) == "":
	default:
		if numID != "" && numID != "0" {
			marker, listed = d.next(numID, at)
		}
		switch {
		case heading > 0 && marker != "" && marker != "-":
			err = w.Heading(heading, marker+" "+text)
		case heading > 0:
			err = w.Heading(heading, text)
		case listed:
			err = w.Item(max(at, s.depth), marker, text)
		default:
			err = w.Paragraph(text)
		}
	}
	for _, box := range p.boxes {
		if err == nil {
			err = w.Raw(box)
		}
	}
	return pendingParagraph{}, err
}

// table reads a table. Merged cells have their text in the first of their cells.
func (d *document) table(r *xmlread.Reader, w *markdown.Writer) error {
	var (
		rows [][]string
		row  []string
		gone bool // the row is deleted
	)
	err := r.Walk(func(kind xmlread.Kind) (err error) {
		if kind == xmlread.End && r.Name == "w:tr" && !gone {
			rows, row = append(rows, row), nil
		}
		if kind != xmlread.Start {
			return nil
		}
		switch r.Name {
		case "w:tr":
			row, gone = nil, false
		case "w:trPr", "w:sdt", "w:sdtContent", "w:customXml", "w:ins":
		case "w:del":
			gone = true
		case "w:gridBefore":
			row = pad(row, number(r.Attr("w:val")))
		case "w:tc":
			var c cell
			if c, err = d.cell(r); !gone {
				row = pad(append(row, c.text), c.span-1)
			}
			if err != nil {
				rows = append(rows, row)
			}
		default:
			err = r.Skip()
		}
		return err
	})
	return errors.Join(w.Table(rows), err)
}

func pad(row []string, n int) []string {
	for range min(n, maxSpan) {
		row = append(row, "")
	}
	return row
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return max(n, 0)
}

type cell struct {
	text string
	span int
}

// cell reads a cell: its properties come first, then its blocks.
func (d *document) cell(r *xmlread.Reader) (cell, error) {
	var text strings.Builder
	var s columnSpan
	err := d.blocks(r, markdown.Flat(&text), &s)
	if s.gone {
		text.Reset()
	}
	return cell{text.String(), max(s.columns, 1)}, err
}

// columnSpan is what the properties of a cell say.
type columnSpan struct {
	columns int
	gone    bool // it goes on from the cell above or before, or is deleted
}

func (s *columnSpan) read(r *xmlread.Reader) error {
	return r.Inside(func() error {
		switch r.Name {
		case "w:gridSpan":
			s.columns = number(r.Attr("w:val"))
		case "w:vMerge", "w:hMerge":
			s.gone = s.gone || r.Attr("w:val") != "restart"
		case "w:cellDel":
			s.gone = true
		}
		return nil
	})
}
