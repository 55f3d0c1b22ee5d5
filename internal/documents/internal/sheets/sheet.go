package sheets

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/grid"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// sheet writes a sheet as a part.
func (b *workbook) sheet(number int, s sheetRef) error {
	if s.hidden {
		b.hidden = append(b.hidden, number)
	}
	err := b.out.Begin(format.Part{Kind: format.Sheet, Number: number, Name: format.Shown(s.name, s.hidden)})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("sheet %d", number)
	if s.rel.Target == "" || s.rel.External {
		return b.out.Note(what + " is missing")
	}
	out, empty := container.Marked(b.out), false
	if s.rel.Type != "chartsheet" {
		r := &reader{book: b, part: s.rel.Target, macros: strings.HasSuffix(s.rel.Type, "Macrosheet")}
		r.grid = grid.New(out, r.extent)
		err := r.read()
		empty = r.grid.Empty()
		if closeErr := r.grid.Close(); err == nil {
			err = closeErr
		}
		if err := b.pkg.Damaged(what, err); err != nil {
			return err
		}
		if note := r.unseen.Note(number); note != "" {
			if err := b.out.Note(note); err != nil {
				return err
			}
		}
	}
	rels, err := b.pkg.Relationships(s.rel.Target)
	if err == nil && empty && len(rels.ByType("pivotTable")) > 0 {
		err = b.out.Note(fmt.Sprintf("pivot table without a stored result left out of sheet: %d", number))
	}
	if err == nil {
		err = b.remarks(out, rels)
	}
	return b.pkg.Damaged("data of "+what, err)
}

// reader reads the cells of a sheet.
type reader struct {
	book     *workbook
	part     string
	macros   bool // formulas are shown rather than their results
	grid     *grid.Writer
	unseen   grid.Unseen
	says     grid.Range // range that the sheet declares
	row, col int        // position of the current cell
	text     []byte
	shared   map[string]string // shared formulas without results, by number
}

func (s *reader) read() error {
	return s.book.pkg.Read(s.part, func(r *xmlread.Reader) error { return s.cells(r, s.cell) })
}

// cells calls each at the start of every cell.
func (s *reader) cells(r *xmlread.Reader, each func(r *xmlread.Reader) error) error {
	s.row, s.col = 0, 0
	return r.Each(func() error {
		switch r.Name {
		case "x:dimension":
			s.says, _ = grid.ParseRange(r.Attr("ref"))
		case "x:row":
			s.row, s.col = s.row+1, 0
			s.unseen.Row = isHidden(r, "ht")
			if n, err := strconv.Atoi(string(r.Bytes("r"))); err == nil && n > 0 {
				s.row = n
			}
			if s.row > grid.MaxRows {
				return fmt.Errorf("it has more than %d rows", grid.MaxRows)
			}
		case "x:c":
			s.col++
			if row, col, ok := grid.Parse(string(r.Bytes("r"))); ok {
				s.row, s.col = row, col
			}
			if s.col > grid.MaxColumns {
				return fmt.Errorf("it has more than %d columns", grid.MaxColumns)
			}
			if err := each(r); err != nil {
				return err
			}
		case "x:col":
			if isHidden(r, "width") {
				first, _ := strconv.Atoi(string(r.Bytes("min")))
				last, _ := strconv.Atoi(string(r.Bytes("max")))
				s.unseen.Columns(first, last)
			}
		case "x:sheetData", "x:cols":
		default:
			if r.Depth() == 1 {
				return nil // a worksheet or a sheet of macros
			}
			if err := r.Skip(); err != nil {
				return xmlread.Ended(err)
			}
		}
		return nil
	})
}

// isHidden reports whether a row or column is hidden, or has no size.
func isHidden(r *xmlread.Reader, size string) bool {
	v := string(r.Bytes("hidden"))
	return v == "1" || v == "true" || string(r.Bytes(size)) == "0"
}

// extent returns the range of a large sheet: the declared one if it agrees with the rows so far, otherwise that of
// all cells.
func (s *reader) extent(sofar grid.Range) (grid.Range, error) {
	if s.says.Holds(sofar) && s.says.Left == sofar.Left && s.says.Top == sofar.Top && s.says.Right == sofar.Right {
		return s.says, nil
	}
	scan := &reader{book: s.book, macros: s.macros}
	err := s.book.pkg.Read(s.part, func(r *xmlread.Reader) error {
		return scan.cells(r, func(r *xmlread.Reader) error {
			row, col := scan.row, scan.col
			text, _, err := scan.value(r)
			if text != "" {
				sofar = sofar.Add(row, col)
			}
			return err
		})
	})
	return sofar, err
}

func (s *reader) cell(r *xmlread.Reader) error {
	text, unit, err := s.value(r)
	if text != "" {
		s.unseen.Cell(s.row, s.col)
	}
	return cmp.Or(s.grid.Amount(s.row, s.col, text, unit), err)
}

// value returns the text that the current cell shows, and the unit of an amount of money.
func (s *reader) value(r *xmlread.Reader) (text, unit string, err error) {
	kind, style := kindOf(r.Bytes("t")), s.book.display(r.Bytes("s"))
	s.text = s.text[:0]
	var formula []byte
	var shared string // number of a shared formula
	inside := ""
	for depth := r.Depth() - 1; ; {
		event, err := r.Next()
		if err != nil {
			return "", "", err
		}
		switch event {
		case xmlread.Start:
			inside = r.Name
			if inside == "x:f" {
				shared = r.Attr("si")
			}
			if inside == "x:is" {
				if s.text, err = richText(r, s.text); err != nil {
					return string(s.text), "", err
				}
			}
		case xmlread.Text:
			switch inside {
			case "x:v":
				s.text = append(s.text, r.Text...)
			case "x:f":
				formula = append(formula, r.Text...)
			}
		case xmlread.End:
			inside = ""
			if r.Depth() == depth {
				if s.macros && len(formula) > 0 {
					return "=" + string(formula), "", nil
				}
				if kind != typeFormula && len(s.text) == 0 {
					if f := s.uncomputed(string(formula), shared); f != "" {
						return f, "", nil
					}
				}
				text, unit = s.show(kind, style)
				return text, unit, nil
			}
		}
	}
}

// Limits for the shared formulas without results that a sheet stores (number, bytes of each), because every cell
// repeats them.
const maxShared, maxSharedLen = 10_000, 200

// uncomputed returns the text of a cell without a result: its formula, or a shared formula, which is relative to
// the cell that defines it. It is "" for a cell without a formula.
func (s *reader) uncomputed(formula, shared string) string {
	first := s.shared[shared]
	switch {
	case formula == "" && first == "":
		return ""
	case formula == "":
		formula = first + " (shared)"
	case shared != "" && len(formula) <= maxSharedLen && len(s.shared) < maxShared:
		if s.shared == nil {
			s.shared = map[string]string{}
		}
		s.shared[shared] = formula
	}
	s.book.formulas++
	return "=" + formula
}

// cellType is the declared type of a cell's value.
type cellType byte

const (
	typeNumber cellType = iota
	typeShared          // the number of a shared string
	typeText
	typeFormula // the string result of a formula
	typeBool
	typeDate
	typeError
)

func kindOf(t []byte) cellType {
	switch string(t) {
	case "s":
		return typeShared
	case "b":
		return typeBool
	case "str":
		return typeFormula
	case "inlineStr":
		return typeText
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

// show returns the text of a value, and the unit of an amount of money.
func (s *reader) show(kind cellType, style *display) (text, unit string) {
	if kind == typeShared {
		n, err := strconv.Atoi(string(bytes.TrimSpace(s.text)))
		if err != nil {
			return "", ""
		}
		return style.text(s.book.texts.get(n)), ""
	}
	value := string(s.text)
	switch kind {
	case typeBool:
		switch value {
		case "1", "true":
			return "TRUE", ""
		case "0", "false":
			return "FALSE", ""
		}
		return value, ""
	case typeError:
		return value, ""
	case typeText, typeFormula:
		return style.text(unescape(value)), ""
	case typeDate:
		return strings.TrimSuffix(strings.Replace(value, "T", " ", 1), " 00:00:00"), ""
	}
	if value = strings.TrimSpace(value); value == "" {
		return "", ""
	}
	return style.show(value, s.book.epoch1904)
}

// unescape decodes escapes such as _x000D_ for characters that XML does not allow.
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '_' && i+7 <= len(s) && s[i+1] == 'x' && s[i+6] == '_' {
			if n, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
				if n != '\r' {
					b.WriteRune(rune(n))
				}
				i += 6
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// remarks writes comments, text boxes and links next to the cells.
func (b *workbook) remarks(w io.Writer, rels opc.Relationships) error {
	first := true
	say := func(line string) error {
		if first {
			line, first = "\n"+line, false
		}
		_, err := io.WriteString(w, line+"\n")
		return err
	}
	threads := map[string]bool{} // cells with threads, for each of which there is a comment for older programs
	for _, name := range append(rels.ByType("threadedComment"), rels.ByType("comments")...) {
		if err := b.comments(name, threads, say); err != nil {
			return err
		}
	}
	for _, name := range rels.ByType("drawing") {
		if err := b.boxes(name, say); err != nil {
			return err
		}
	}
	return nil
}

// comments reads both kinds of comments: the old one, and the one with replies.
func (b *workbook) comments(name string, threads map[string]bool, say func(string) error) error {
	return b.elements(name, func(r *xmlread.Reader) (err error) {
		cell := r.Attr("ref")
		var text []byte
		switch r.Name {
		case "x:comment":
			if threads[cell] {
				return nil
			}
			text, err = richText(r, nil)
		case "tc:threadedComment":
			threads[cell] = true
			text, err = elementText(r, "tc:text")
		default:
			return nil
		}
		if line := format.OneLine(string(text)); line != "" {
			if err := say("Comment on " + cell + ": " + line); err != nil {
				return err
			}
		}
		return err
	})
}

// elementText returns the text of elements with a name inside the current element; paragraphs become lines.
func elementText(r *xmlread.Reader, name string) ([]byte, error) {
	var text []byte
	err := r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.End && r.Name == "a:p":
			text = append(text, '\n')
		case kind == xmlread.Start && r.Name == name:
			inner, err := r.Inner()
			text = append(text, inner...)
			return err
		}
		return nil
	})
	return text, err
}

// boxes reads the texts of shapes above the cells.
func (b *workbook) boxes(name string, say func(string) error) error {
	return b.elements(name, func(r *xmlread.Reader) error {
		if r.Name != "xdr:txBody" {
			return nil
		}
		text, err := elementText(r, "a:t")
		if line := strings.TrimSpace(string(text)); line != "" {
			if err := say("Text box: " + line); err != nil {
				return err
			}
		}
		return err
	})
}
