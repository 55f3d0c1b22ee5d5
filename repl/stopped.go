package repl

import (
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Kept is what a stopped cell left behind. The cell itself cannot be repeated: it might stop at a different point.
type Kept struct {
	// Source is a cell that has the same effect: it contains the declarations of the stopped cell, and sets the
	// variables to their current values.
	Source string `json:"source,omitempty"`
	// Unwritten lists the changed variables whose values cannot be written as Go. They exist only until the
	// notebook is closed.
	Unwritten []string `json:"unwritten,omitempty"`
}

// keptRoom bounds, in bytes, the values in Kept.Source, because that must fit into a cell.
const keptRoom = cell.MaxSource / 2

// Kept returns what a stopped cell left behind; changed is Result.Changed of that cell.
func (n *Notebook) Kept(number int, changed []Var) Kept {
	var kept Kept
	parts := cell.Declarations(n.sources[number])
	room := keptRoom
	for _, v := range changed {
		sym := n.front.Lookup(v.Name)
		if sym == nil || !sym.Var() {
			continue
		}
		held, ok := n.engine.Var(sym.Obj.Name())
		text := ""
		if ok {
			text, ok = n.reader.Literal(held, sym.Obj.Type(), room)
		}
		declared := sym.Cell == number
		switch {
		case !ok && declared: // declared without its value, because functions may refer to it
			parts = append(parts, "var "+v.Name+" "+v.Type+" // its value cannot be written as Go")
		case !ok:
			parts = append(parts, "// the value of "+v.Name+" cannot be written as Go")
		case declared:
			parts = append(parts, "var "+v.Name+" "+v.Type+" = "+text)
		default:
			parts = append(parts, v.Name+" = "+text)
		}
		if room -= len(text); !ok {
			kept.Unwritten = append(kept.Unwritten, v.Name)
		}
	}
	kept.Source = strings.Join(parts, "\n")
	return kept
}
