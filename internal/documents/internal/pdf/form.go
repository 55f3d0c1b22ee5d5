package pdf

import (
	"bytes"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/layout"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// form draws a form XObject; an image is only counted.
func (d *pageInterpreter) form(o any, res *resources, depth int) error {
	if depth >= maxDepth {
		return nil
	}
	s := d.doc.file.Stream(o)
	if d.subtype(s) == "Image" {
		d.images++
	}
	if kind := d.subtype(s); s == nil || kind != "Form" && kind != "" || d.doc.off(s.Dict["OC"]) {
		return nil
	}
	if d.forms++; d.forms > maxForms {
		return errTooMuch
	}
	data := d.doc.formData(s)
	inner := res
	if own := d.doc.file.Dict(s.Dict["Resources"]); own != nil {
		inner = &resources{dict: own}
	}
	saved, stack, text, line, marks := d.state, d.stack, d.matrix, d.line, d.marks
	d.stack, d.marks = nil, nil
	d.ctm = matrixOf(d.doc.file.Numbers(s.Dict["Matrix"])).times(d.ctm)
	err := d.run(data, inner, depth+1)
	d.closeMarks()
	d.state, d.stack, d.matrix, d.line, d.marks = saved, stack, text, line, marks
	return err
}

func (d *pageInterpreter) subtype(s *syntax.Stream) syntax.Name {
	if s == nil {
		return ""
	}
	return d.doc.file.Name(s.Dict["Subtype"])
}

// begin starts a marked-content sequence: a layer, or characters with a replacement text.
func (d *pageInterpreter) begin(args []any, res *resources) {
	m := mark{start: len(d.chars)}
	if len(args) >= 2 {
		properties := args[len(args)-1]
		if n, ok := properties.(syntax.Name); ok {
			properties = d.doc.file.Dict(res.dict["Properties"])[n]
		}
		if args[0] == syntax.Name("OC") {
			m.hides = d.doc.off(properties)
		} else if s, ok := d.doc.file.Resolve(d.doc.file.Dict(properties)["ActualText"]).(syntax.String); ok {
			m.actual, m.hasActual = textString(s), true
		}
	}
	if m.hides {
		d.hidden++
	}
	if len(d.marks) < maxStates {
		d.marks = append(d.marks, m)
	}
}

func (d *pageInterpreter) end() {
	n := len(d.marks)
	if n == 0 {
		return
	}
	m := d.marks[n-1]
	d.marks = d.marks[:n-1]
	if m.hides {
		d.hidden--
	}
	if m.hasActual {
		d.replace(m)
	}
}

func (d *pageInterpreter) closeMarks() {
	for len(d.marks) > 0 {
		d.end()
	}
}

// replace replaces the characters of a mark with its replacement text, if they are near each other on one line and
// the text suits their number.
func (d *pageInterpreter) replace(m mark) {
	chars := d.chars[min(m.start, len(d.chars)):]
	text := strings.Trim(m.actual, "\u200b\ufeff")
	if len(chars) == 0 || len(text) > 16*len(chars)+16 {
		return
	}
	first, last := chars[0], chars[len(chars)-1]
	whole := layout.Char{Text: text, X: first.X, Y: first.Y, Size: first.Size, Angle: first.Angle}
	whole.DX, whole.DY = last.X+last.DX-first.X, last.Y+last.DY-first.Y
	for _, c := range chars {
		if c.Angle != first.Angle || max(c.X-first.X, first.X-c.X) > 40*c.Size ||
			strings.Contains(text, " ") && len(chars) > 1 {
			return
		}
		if dy := c.Y - first.Y; first.Angle == 0 && max(dy, -dy) > c.Size {
			return
		}
	}
	for _, c := range chars {
		if c.Text == "" {
			d.lost--
		}
	}
	d.chars = d.chars[:m.start]
	if text != "" {
		d.chars = append(d.chars, whole)
	}
}

// skipImage skips an inline image: "BI /W 8 … ID", its bytes and "EI".
func skipImage(l *syntax.Lexer) {
	for {
		o, ok := l.Next()
		if !ok {
			return
		}
		if o == syntax.Keyword("ID") {
			break
		}
		if o == syntax.Keyword("EI") {
			return
		}
	}
	l.Skip(1)
	for {
		rest := l.Rest()
		i := bytes.Index(rest, []byte("EI"))
		if i < 0 {
			l.Skip(len(rest))
			return
		}
		l.Skip(i + 2)
		after := rest[i+2:]
		if (i == 0 || space(rest[i-1])) && (len(after) == 0 || space(after[0])) &&
			readable(after[:min(len(after), 12)]) {
			return
		}
	}
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == 0 }

func readable(b []byte) bool {
	for _, c := range b {
		if c >= 0x7F || c < ' ' && !space(c) {
			return false
		}
	}
	return true
}
