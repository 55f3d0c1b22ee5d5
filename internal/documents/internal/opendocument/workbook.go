package opendocument

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/grid"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Spreadsheet converts an .ods file, with a part for each sheet. It is a format.Converter.
func Spreadsheet(ctx context.Context, src format.Source, out format.Output) error {
	d, err := open(ctx, src, out, "ods")
	if err != nil {
		return err
	}
	d.cells = true
	b := &workbook{document: d}
	err = d.body(func(name string) bool { return name == "office:spreadsheet" }, func(r *xmlread.Reader) error {
		return r.Inside(func() error {
			if r.Name != "table:table" {
				return r.Skip()
			}
			return b.sheet(r)
		})
	})
	if note := grid.Hidden(b.hidden); err == nil && note != "" {
		err = out.Note(note)
	}
	return err
}

// workbook is the conversion of one workbook.
type workbook struct {
	*document
	number int
	hidden []int        // numbers of hidden sheets
	ranges []grid.Range // ranges of all sheets, computed when the first large sheet needs its range
}

// sheet is a sheet that is being read.
type sheet struct {
	book     *workbook
	put      func(row, col int, text, unit string) error
	row, col int
	columns  int // columns declared so far
	unseen   grid.Unseen
	copied   int      // bytes added by repeated cells
	once     int      // rows and cells written only once although they are repeated
	remarks  []string // comments on the cells
}

// maxRemarks limits the comments of a sheet.
const maxRemarks = 10_000

func (b *workbook) sheet(r *xmlread.Reader) error {
	b.number++
	name := r.Attr("table:name")
	if b.isHidden("table", r.Attr("table:style-name")) || r.Attr("table:display") == "false" {
		name = strings.TrimSpace(name + " (hidden)")
		b.hidden = append(b.hidden, b.number)
	}
	if err := b.out.Begin(format.Part{Kind: format.Sheet, Number: b.number, Name: name}); err != nil {
		return err
	}
	index := b.number - 1
	w := grid.New(b.out, func(sofar grid.Range) (grid.Range, error) { return b.extent(index, sofar) })
	s := &sheet{book: b, put: w.Amount}
	err := s.read(r)
	if err := w.Close(); err != nil {
		return err
	}
	for i, line := range s.remarks {
		if i == 0 {
			line = "\n" + line
		}
		if _, err := io.WriteString(b.out, line+"\n"); err != nil {
			return err
		}
	}
	if note := s.unseen.Note(b.number); note != "" {
		if err := b.out.Note(note); err != nil {
			return err
		}
	}
	if s.once > 0 {
		if err := b.out.Note(fmt.Sprintf(
			"sheet %d: %d rows or cells that repeat very often are written only once", b.number, s.once)); err != nil {
			return err
		}
	}
	return err
}

// extent returns the range of a large sheet. The first call reads all sheets to find their ranges.
func (b *workbook) extent(index int, sofar grid.Range) (grid.Range, error) {
	if b.ranges == nil {
		b.ranges = []grid.Range{}
		scan := &workbook{document: &document{
			cells: true, ctx: b.ctx, Archive: b.Archive, out: b.out,
			styles: newStyles(), counts: map[string]*[maxLevels]int{},
		}}
		err := b.Elements("content.xml", func(r *xmlread.Reader) error {
			if r.Name != "table:table" {
				return nil
			}
			var used grid.Range
			s := &sheet{book: scan, put: func(row, col int, text, _ string) error {
				if text != "" {
					used = used.Add(row, col)
				}
				return nil
			}}
			err := s.read(r)
			b.ranges = append(b.ranges, used)
			return err
		})
		if errors.Is(err, format.ErrBomb) || b.ctx.Err() != nil {
			return sofar, err
		}
	}
	if index < len(b.ranges) {
		return b.ranges[index], nil
	}
	return sofar, nil
}

// read reads the rows of table:table, the current element.
func (s *sheet) read(r *xmlread.Reader) error {
	return r.Inside(func() error {
		switch r.Name {
		case "table:table-row":
			return s.cells(r)
		case "table:shapes":
			return s.shapes(r)
		case "table:table-column":
			first := s.columns + 1
			s.columns = min(s.columns+times(r.Attr("table:number-columns-repeated")), grid.MaxColumns)
			if isCollapsed(r) {
				s.unseen.Columns(first, s.columns)
			}
		case "table:table-header-rows", "table:table-rows", "table:table-row-group",
			"table:table-header-columns", "table:table-columns", "table:table-column-group":
			return nil
		}
		return r.Skip()
	})
}

// isCollapsed reports whether a row or column is hidden, by hand or by a filter.
func isCollapsed(r *xmlread.Reader) bool {
	visibility := r.Attr("table:visibility")
	return visibility == "collapse" || visibility == "filter"
}

// textCell is a cell with its text.
type textCell struct {
	col        int
	text, unit string
}

// cells reads a row, which may be repeated.
func (s *sheet) cells(r *xmlread.Reader) error {
	repeat := times(r.Attr("table:number-rows-repeated"))
	s.unseen.Row = isCollapsed(r)
	var row []textCell
	s.col = 0
	size := 0
	err := r.Inside(func() error {
		if r.Name != "table:table-cell" && r.Name != "table:covered-table-cell" {
			return nil
		}
		n := times(r.Attr("table:number-columns-repeated"))
		covered := r.Name == "table:covered-table-cell"
		text, unit, err := s.cell(r)
		if err != nil {
			row = append(row, textCell{s.col + 1, text, unit})
			return err
		}
		if text != "" && !covered {
			for i := range s.copies(n, len(text)+8) {
				if s.col+i < grid.MaxColumns {
					row = append(row, textCell{s.col + i + 1, text, unit})
					size += len(text) + 8
				}
			}
		}
		s.col = min(s.col+n, grid.MaxColumns)
		return nil
	})
	if err != nil {
		return errors.Join(s.write(row, 1), err)
	}
	if len(row) == 0 {
		s.row = min(s.row+repeat, grid.MaxRows)
		return nil
	}
	return s.write(row, repeat)
}

// copies returns how many of n equal rows or cells are written: all, or one if all would be a bomb.
func (s *sheet) copies(n, size int) int {
	if n > 1 && n-1 > (maxCopies-s.copied)/size {
		s.once++
		return 1
	}
	s.copied += (n - 1) * size
	return n
}

func (s *sheet) write(row []textCell, repeat int) error {
	size := 0
	for _, c := range row {
		size += len(c.text) + 8
	}
	if len(row) == 0 {
		return nil
	}
	for i := range s.copies(repeat, size) {
		for _, c := range row {
			s.unseen.Cell(s.row+i+1, c.col)
			if err := s.put(s.row+i+1, c.col, c.text, c.unit); err != nil {
				return err
			}
		}
	}
	s.row = min(s.row+repeat, grid.MaxRows)
	return nil
}

// times returns how often a row or cell is repeated.
func times(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return min(max(n, 1), grid.MaxRows)
}

// cell returns the text that the current cell shows, and the unit of an amount.
func (s *sheet) cell(r *xmlread.Reader) (shown, unit string, err error) {
	v := value{kind: r.Attr("office:value-type"), currency: r.Attr("office:currency")}
	for _, name := range [...]string{
		"office:value", "office:date-value", "office:time-value", "office:boolean-value", "office:string-value",
	} {
		if v.raw = r.Attr(name); v.raw != "" {
			break
		}
	}
	lines := 0
	var t text
	err = r.Inside(func() (err error) {
		switch r.Name {
		case "text:p", "text:h":
			if lines++; lines > 1 {
				t.b = append(t.b, '\n')
			}
			err = s.book.inline(r, &t)
		case "office:annotation":
			var line string
			line, err = s.book.comment(r)
			if len(s.remarks) < maxRemarks {
				s.remarks = append(s.remarks,
					strings.Replace(format.OneLine(line), "Comment", "Comment on "+grid.Name(s.row+1, s.col+1), 1))
			}
		case "text:list", "text:list-item":
		default:
			err = r.Skip()
		}
		return err
	})
	shown, unit = v.show(strings.TrimSpace(string(t.b)))
	return shown, unit, err
}

// shapes reads the texts of shapes above the cells.
func (s *sheet) shapes(r *xmlread.Reader) error {
	text, err := s.book.flat(r)
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && len(s.remarks) < maxRemarks {
			s.remarks = append(s.remarks, "Text box: "+line)
		}
	}
	return err
}
