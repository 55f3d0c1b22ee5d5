package pdf

import (
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/font"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

const maxAnnotations = 10_000 // per page

// annotations draws a page's form fields and text boxes, and returns the comments on the page.
func (d *document) annotations(node syntax.Dict, turn matrix, on *pageInterpreter) (string, error) {
	var comments strings.Builder
	list := d.file.Array(node["Annots"])
	for _, o := range list[:min(len(list), maxAnnotations)] {
		a := d.file.Dict(o)
		const hidden, noView = 2, 32
		if a == nil || d.file.Int(a["F"])&(hidden|noView) != 0 || d.off(a["OC"]) {
			continue
		}
		switch kind := d.file.Name(a["Subtype"]); kind {
		case "Link", "Popup", "Movie", "Sound", "Screen", "FileAttachment":
		case "Widget", "FreeText", "Stamp", "Watermark", "Redact":
			before := len(on.chars)
			if err := d.appearance(a, turn, on); err != nil {
				return comments.String(), err
			}
			if len(on.chars) == before {
				d.value(a, kind, turn, on)
			}
		default:
			d.comment(&comments, a)
		}
	}
	return comments.String(), nil
}

// appearance draws an annotation's appearance stream.
func (d *document) appearance(a syntax.Dict, turn matrix, on *pageInterpreter) error {
	o := d.file.Dict(a["AP"])["N"]
	if d.file.Stream(o) == nil {
		o = d.file.Dict(o)[d.file.Name(a["AS"])]
	}
	s := d.file.Stream(o)
	if s == nil {
		return nil
	}
	rect, ok1 := boxOf(d.file.Numbers(a["Rect"]))
	inner, ok2 := boxOf(d.file.Numbers(s.Dict["BBox"]))
	if !ok1 || !ok2 {
		return nil
	}
	drawn := inner.under(matrixOf(d.file.Numbers(s.Dict["Matrix"])))
	if drawn.x1 <= drawn.x0 || drawn.y1 <= drawn.y0 {
		return nil
	}
	x, y := (rect.x1-rect.x0)/(drawn.x1-drawn.x0), (rect.y1-rect.y0)/(drawn.y1-drawn.y0)
	fit := matrix{a: x, d: y, e: rect.x0 - drawn.x0*x, f: rect.y0 - drawn.y0*y}
	on.state = state{ctm: fit.times(turn), scale: 1}
	return on.form(o, &resources{}, 0)
}

// value draws the value of a field that has no appearance at the field's position.
func (d *document) value(a syntax.Dict, kind syntax.Name, turn matrix, on *pageInterpreter) {
	v := a["V"]
	// a field with several widgets stores its value in the parent
	for up, depth := a, 0; v == nil && up["Parent"] != nil && depth < maxDepth; depth++ {
		up = d.file.Dict(up["Parent"])
		v = up["V"]
	}
	s, ok := d.file.Resolve(v).(syntax.String)
	if kind != "Widget" {
		s, ok = d.file.Resolve(a["Contents"]).(syntax.String)
	}
	rect, inside := boxOf(d.file.Numbers(a["Rect"]))
	const password = 1 << 13
	if !ok || !inside || d.file.Int(a["Ff"])&password != 0 {
		return
	}
	size := min(rect.y1-rect.y0, 12) * 0.8
	on.state = state{
		ctm: matrix{a: 1, d: 1, e: rect.x0, f: rect.y1}.times(turn), scale: 1, font: &font.Font{Size: 1},
		size: size,
	}
	for i, line := range strings.Split(textString(s[:min(len(s), 64<<10)]), "\n") {
		on.matrix = matrix{a: 1, d: 1, e: 1, f: -size * 1.2 * float64(i+1)}
		on.keep(font.Glyph{Text: strings.TrimSpace(line)}, identity, size*0.5*float64(len(line)))
	}
}

// comment writes the text of a comment, with its author.
func (d *document) comment(b *strings.Builder, a syntax.Dict) {
	s := d.file.String(a["Contents"])
	text := format.OneLine(textString(s[:min(len(s), 64<<10)]))
	if text == "" {
		return
	}
	author := d.file.String(a["T"])
	name := format.OneLine(textString(author[:min(len(author), 256)]))
	if name != "" {
		name = " by " + name
	}
	b.WriteString("\n[Comment" + name + ": " + text + "]\n")
}
