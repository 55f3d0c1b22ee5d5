package grounding

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// echo is what surrounds a claim in a literal that the model stated, as letters and digits. A place where the claim
// has the same around it has only the literal, whatever else was printed beside it.
type echo struct {
	before, after string
	short         bool // the literal is so short that a search may look for it
}

// Bounds on echoes.
const (
	maxEchoes = 8   // of a claim
	maxEcho   = 128 // bytes on each side
	shortEcho = 3   // words
)

// bare reports whether the literal is just the claim.
func (e echo) bare() bool { return e.before == "" && e.after == "" }

// echo records how the literal that is the current text has a claim, between two offsets. searched means that the
// cell searches for what its variables hold: a literal of a few words may then have been found.
func (t *tracer) echo(c *claim, from, to int, searched bool) {
	at, end := lineAt(t.text, from)
	before, after := behindVerb(t.text[max(at, from-maxEcho):from]), t.text[to:min(max(to, end), to+maxEcho)]
	if c.kind != aName && len(after) > 1 && (after[:2] == "=%" || after[:2] == ":%") {
		return // it is the key of what is printed
	}
	if i := verbAt(after); i >= 0 {
		after = after[:i]
	}
	e := echo{lettersOf(before), lettersOf(after), len(appendWords(nil, t.text[at:end])) <= shortEcho}
	if len(c.echoes) < maxEchoes && !slices.Contains(c.echoes, e) && !(e.short && searched) &&
		(!e.bare() || c.kind != aNumber) {
		c.echoes = append(c.echoes, e)
	}
}

// verbAt returns the index of the first verb of a format, such as %-5d; -1 if there is none.
func verbAt(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && verbEnd(s, i) > 0 {
			return i
		}
	}
	return -1
}

// verbEnd returns where the verb of a format at p ends, 0 if there is none.
func verbEnd(s string, p int) int {
	for p++; p < len(s) && strings.IndexByte("+-#.*0123456789", s[p]) >= 0; p++ {
	}
	if unicode.IsLetter(rune(byteAt(s, p))) {
		return p + 1
	}
	return 0
}

// behindVerb returns what follows the last verb of a format.
func behindVerb(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '%' {
			return s[verbEnd(s, i):]
		}
	}
	return s
}

// echoed reports whether a claim, between two offsets of the current text, stands there only as the model stated it.
func (t *tracer) echoed(c *claim, from, to int) bool {
	if len(c.echoes) == 0 || c.sought {
		return false
	}
	at, end := lineAt(t.text, from)
	before, after := t.text[max(at, from-2*maxEcho):from], t.text[to:min(max(to, end), to+2*maxEcho)]
	head, tail := lettersOf(before), lettersOf(after)
	return slices.ContainsFunc(c.echoes, func(e echo) bool {
		if e.bare() {
			s := strings.TrimRight(before, " ")
			return s == "" || strings.IndexByte(":=[{(\"'|>", s[len(s)-1]) >= 0
		}
		return strings.HasSuffix(head, e.before) && strings.HasPrefix(tail, e.after)
	})
}

// forget removes the echoes of literals of a few words when a cell searches for what its variables hold.
func (t *tracer) forget() {
	for _, c := range t.claims {
		if c.said {
			c.echoes = slices.DeleteFunc(c.echoes, func(e echo) bool { return e.short })
		}
	}
}

// seeks reports whether arguments have a variable for which a text is searched.
func seeks(fun ast.Expr, args []ast.Expr) bool {
	if s, ok := fun.(*ast.SelectorExpr); ok && len(args) > 1 {
		if p, ok := s.X.(*ast.Ident); ok && (p.Name == "strings" || p.Name == "bytes") {
			args = args[1:]
		}
	}
	return slices.ContainsFunc(args, hasVariable)
}

// seeksEach reports whether the body of a loop searches for each element.
func seeksEach(loop *ast.RangeStmt) bool {
	each, ok := loop.Value.(*ast.Ident)
	found := false
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if is = is && ok && searching(strings.ToLower(calledName(call.Fun))); is {
			ast.Inspect(call, func(n ast.Node) bool {
				id, name := n.(*ast.Ident)
				found = found || name && id.Name == each.Name
				return !found
			})
		}
		return !found && !is
	})
	return found
}

// hasVariable reports whether an expression has a variable other than the text.
func hasVariable(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || id.Name != "context" && id.Name != "docs" && id.Name != "strings"
		}
		return !found
	})
	return found
}

// lookedUp reports whether an index is a key that a variable holds, rather than a position.
func lookedUp(index ast.Expr) bool {
	id, ok := index.(*ast.Ident)
	return ok && !slices.Contains([]string{"i", "j", "k", "n", "idx", "index", "pos"}, id.Name)
}

// compares reports whether a comparison is between two expressions with variables.
func compares(n *ast.BinaryExpr) bool {
	return (n.Op == token.EQL || n.Op == token.NEQ) && hasVariable(n.X) && hasVariable(n.Y)
}
