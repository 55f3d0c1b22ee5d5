package word

import (
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

var noTime time.Time

// style is the subset of a style's properties that this converter needs. Unset ones are inherited from the base
// style.
type style struct {
	basedOn string
	outline int // outline level, from 0; -1: not set
	numID   string
	level   int // list level; -1: not set
	hidden  flag
	depth   int    // list level that the name implies ("List Bullet 2"), for lists with a single level
	raised  string // "superscript", "subscript"
	done    bool   // inheritance is resolved
}

// flag is a property that is on, off or unset.
type flag int8

const (
	unsaid flag = iota
	on
	off
)

// toggle reads <w:vanish/>, <w:vanish w:val="0"/>.
func toggle(r *xmlread.Reader) flag {
	switch v, ok := r.Lookup("w:val"); {
	case !ok, v == "1", v == "true", v == "on":
		return on
	}
	return off
}

func (d *document) readStyles(name string) error {
	d.styles = map[string]*style{}
	var s *style
	return d.pkg.Elements(name, func(r *xmlread.Reader) error {
		if r.Name == "w:style" {
			s = &style{outline: -1, level: -1}
			d.styles[r.Attr("w:styleId")] = s
		}
		if s != nil {
			s.property(r)
		}
		return nil
	})
}

func (s *style) property(r *xmlread.Reader) {
	switch v := r.Attr("w:val"); r.Name {
	case "w:name":
		// Names of built-in styles are the same in every language of Word.
		name := strings.ToLower(v)
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "heading ")); err == nil && n >= 1 && n <= 9 &&
			s.outline < 0 {
			s.outline = n - 1
		}
		if n := len(name) - 1; strings.HasPrefix(name, "list ") && name[n] >= '2' && name[n] <= '5' {
			s.depth = int(name[n] - '1')
		}
		if name == "title" {
			s.outline = 0
		}
	case "w:basedOn":
		s.basedOn = v
	case "w:outlineLvl":
		if n, err := strconv.Atoi(v); err == nil {
			s.outline = n
		}
	case "w:numId":
		s.numID = v
	case "w:ilvl":
		if n, err := strconv.Atoi(v); err == nil {
			s.level = n
		}
	case "w:vanish":
		s.hidden = toggle(r)
	case "w:vertAlign":
		s.raised = v
	case "w:position":
		s.raised = raisedBy(v, s.raised)
	}
}

// raisedBy interprets a vertical offset, which LibreOffice writes for some raised text; without one it returns
// before.
func raisedBy(distance, before string) string {
	n, err := strconv.Atoi(distance)
	switch {
	case err != nil || n == 0:
		return before
	case n > 0:
		return "superscript"
	}
	return "subscript"
}

// style returns a style with its inherited properties.
func (d *document) style(id string) style {
	s := d.styles[id]
	if s == nil {
		return style{outline: -1, level: -1}
	}
	if s.done {
		return *s
	}
	s.done = true // set before reading its base, so that cycles end
	base := style{outline: -1, level: -1}
	if d.nested++; s.basedOn != id && d.nested < 500 {
		base = d.style(s.basedOn)
	}
	d.nested--
	if s.outline < 0 {
		s.outline = base.outline
	}
	if s.numID == "" {
		s.numID = base.numID
		if s.level < 0 {
			s.level = base.level
		}
	}
	if s.depth == 0 {
		s.depth = base.depth
	}
	if s.hidden == unsaid {
		s.hidden = base.hidden
	}
	if s.raised == "" {
		s.raised = base.raised
	}
	return *s
}
