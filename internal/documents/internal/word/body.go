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
	maxNested = 32   // levels of nested tables and text boxes
	maxSpan   = 1000 // columns of one cell
)

var errNested = errors.New("its tables and text boxes are nested too deeply")

// blocks reads paragraphs and tables up to the end of the current element. If that is a cell, s receives its
// properties.
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
			var text string
			text, err = equation.Read(r)
			err = errors.Join(w.Paragraph(text), err)
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

// pendingParagraph is a paragraph whose end mark is deleted or hidden, so that the next one continues it.
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

// write writes a paragraph according to its style and numbering.
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

// table reads a table. The text of merged cells is in the first of them.
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
			var text string
			var span int
			if text, span, err = d.cell(r); !gone {
				row = pad(append(row, text), span-1)
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

// cell reads a cell: its properties, then its blocks.
func (d *document) cell(r *xmlread.Reader) (text string, span int, err error) {
	var b strings.Builder
	var s columnSpan
	if err = d.blocks(r, markdown.Flat(&b), &s); s.gone {
		b.Reset()
	}
	return b.String(), max(s.columns, 1), err
}

// columnSpan is the relevant properties of a cell.
type columnSpan struct {
	columns int
	gone    bool // it continues the cell above or before it, or is deleted
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
