package html

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// maxMath bounds how deep a formula is followed; what is deeper is read as plain text.
const maxMath = 256

// formula is an element of a formula that is open.
type formula struct {
	name  string
	parts int    // that have begun
	close string // what stands behind its part that is open
}

// inMath says whether a tag is one of a formula. A block ends a formula that nobody closed.
func (r *renderer) inMath(tag atom.Atom) bool {
	if len(r.math) > 0 && (isBlock(tag) || tag == atom.Table) {
		r.math = nil
	}
	return tag == atom.Math || len(r.math) > 0
}

// openMath writes what stands before an element of a formula: "√(", the "/" of a fraction, the "^" of an exponent.
func (r *renderer) openMath(name string) {
	if n := len(r.math); n > 0 {
		parent := &r.math[n-1]
		r.mark(parent.close)
		parent.close = ""
		before := between(parent.name, name, parent.parts)
		parent.parts++
		if (before == "/" || before == "_" || before == "^" || parent.name == "mfrac") && !isLeaf(name) {
			before, parent.close = before+"(", ")"
		}
		r.mark(before)
	}
	switch name {
	case "msqrt":
		r.mark("√(")
	case "mroot":
		r.mark("root(")
	}
	if len(r.math) < maxMath {
		r.math = append(r.math, formula{name: name})
	}
}

// between is what stands before a part of an element.
func between(parent, part string, n int) string {
	switch {
	case n == 0:
	case parent == "mfrac":
		return "/"
	case parent == "mroot", parent == "mtr":
		return ", "
	case parent == "mtable":
		return "; "
	case parent == "msubsup" || parent == "munderover":
		return []string{"_", "^", ""}[min(n-1, 2)]
	case parent == "msub" || parent == "munder" && part != "mo":
		return "_"
	case parent == "msup" || parent == "mover" && part != "mo": // a sign above a letter is no exponent
		return "^"
	}
	return ""
}

func isLeaf(name string) bool { return name == "mi" || name == "mn" || name == "mo" || name == "mtext" }

// shutMath ends an element of a formula, with those inside that nobody closed.
func (r *renderer) shutMath(name string) {
	at := len(r.math) - 1
	for at >= 0 && r.math[at].name != name {
		at--
	}
	if at < 0 {
		return
	}
	for n := len(r.math) - 1; n >= at; n-- {
		r.mark(r.math[n].close)
		if r.math[n].name == "msqrt" || r.math[n].name == "mroot" {
			r.mark(")")
		}
	}
	r.math = r.math[:at]
}

// mark writes a sign of a formula, directly behind what is before it.
func (r *renderer) mark(sign string) {
	if sign != "" {
		r.addText(sign)
	}
}

// betweenParts says that a text is the space between the parts of a fraction, a root or an exponent.
func (r *renderer) betweenParts(text string) bool {
	if n := len(r.math); n == 0 || strings.TrimSpace(text) != "" {
		return false
	}
	switch r.math[len(r.math)-1].name {
	case "mfrac", "mroot", "mtr", "mtable", "msub", "msup", "msubsup", "munder", "mover", "munderover":
		return true
	}
	return false
}
