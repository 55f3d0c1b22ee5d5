package repl

import (
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Kept is what a cell left behind that was stopped on its way. The cell itself cannot be repeated: nobody knows how far it would come.
type Kept struct {
	// Source is a cell that leaves the same behind: what the stopped one declared, and its variables as they are now.
	Source string `json:"source,omitempty"`
	// Unwritten are changed variables whose values cannot be written as Go. They are there until the notebook is closed.
	Unwritten []string `json:"unwritten,omitempty"`
}

// keptRoom bounds the values in Kept.Source, which is a cell like others.
const keptRoom = cell.MaxSource / 2

// Kept returns what a cell that was stopped left behind; changed are the variables of its result.
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
		case !ok && declared: // functions may name it
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
