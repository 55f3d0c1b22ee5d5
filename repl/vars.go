package repl

import (
	"go/types"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/repl/internal/check"
)

const (
	previewNodes = 40
	previewBytes = 80
)

// vars describes all variables of the session.
func (n *notebook) vars() []Var {
	var out []Var
	for _, sym := range n.front.Variables() {
		out = append(out, n.describe(sym, false))
	}
	return out
}

// describe describes a variable. It never runs code of a cell without the engine's protection, and looks at a
// bounded part of the value only.
func (n *notebook) describe(sym *check.Symbol, withDigest bool) (out Var) {
	last, known := n.last[sym.Obj.Name()]
	out = Var{Name: sym.Name, Type: typeName(sym.Obj.Type()), Cell: sym.Cell}
	if known {
		out.Cell, out.Digest = last.Cell, last.Digest
	}
	defer func() {
		if r := recover(); r != nil {
			out.Preview = "(cannot be shown)"
		}
	}()
	value, ok := n.engine.Var(sym.Obj.Name())
	if !ok {
		return out
	}
	out.Size = n.size(value, sym.Obj.Type())
	out.Preview = n.look.preview(value, sym.Obj.Type())
	if withDigest {
		out.Digest = n.look.digest(value, sym.Obj.Type())
	}
	return out
}

func (n *notebook) size(value any, t types.Type) string {
	if n.look.engine != nil {
		if inner, _, ok := n.look.engine.Unbox(value); ok {
			value = inner
		}
	}
	return sizeOf(reflect.ValueOf(value))
}

// preview is the beginning of a value on one line.
func (in inspector) preview(value any, t types.Type) string {
	if s, ok := value.(string); ok {
		return `"` + oneLine(s, previewBytes) + `"`
	}
	if s, ok := lazyPreview(t); ok {
		return s
	}
	in.quiet = true
	return oneLine(in.tree(value, t, previewNodes).JSON(), previewBytes)
}

// lazyPreview answers for what has no value to look at.
func lazyPreview(t types.Type) (string, bool) {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "iter" {
			return "(a sequence, not read)", true
		}
		return "(a function)", true
	case *types.Chan:
		return "(a channel)", true
	default:
		_ = u
		return "", false
	}
}

// oneLine is the beginning of s without line ends and control characters.
func oneLine(s string, limit int) string {
	cut := len(s) > limit
	if cut {
		s = s[:limit]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(s, "·"))
	if cut {
		s += "…"
	}
	return s
}

// changed finds what a cell created or changed among the variables that it could reach, and remembers it.
func (n *notebook) changed(cell int, change *check.Change) []Var {
	declared := map[string]bool{}
	for _, v := range change.Vars {
		declared[v.Engine] = true
	}
	var out []Var
	for _, sym := range n.front.Reach(change) {
		engine := sym.Obj.Name()
		before, known := n.last[engine]
		now := n.describe(sym, true)
		if known && before.Digest == now.Digest && before.Preview == now.Preview && before.Size == now.Size &&
			(now.Digest != "" || !declared[engine]) {
			continue
		}
		now.Cell = cell
		n.last[engine] = now
		out = append(out, now)
	}
	return out
}
