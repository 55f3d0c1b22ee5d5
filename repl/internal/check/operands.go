package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

var (
	mismatched = startup.Regexp(`\(mismatched types (untyped )?(\S+) and (untyped )?(\S+)\)$`)
	repeated   = startup.Regexp(`^invalid operation: ("[^"]{0,40}") \* (\w{1,40}) `)
	notUsed    = startup.Regexp(`^(.+) \(.*\) is not used$`)
	inMap      = startup.Regexp(`^cannot assign to struct field (.+)\.(\w+) in map$`)
	notPlace   = startup.Regexp(`^cannot assign to (.+)\[.*\] \(neither addressable`)
)

// operands returns advice for mistakes with operands that are common among users of other languages.
func (r *reporter) operands(e types.Error, msg string) string {
	if m := mismatched().FindStringSubmatch(msg); m != nil {
		if m := repeated().FindStringSubmatch(msg); m != nil {
			return "strings.Repeat(" + m[1] + ", " + m[2] + ") repeats a text"
		}
		if advice := r.mistake(e, msg); advice != "" {
			return advice
		}
		return conversion(m[2], m[4])
	}
	if m := inMap().FindStringSubmatch(msg); m != nil {
		return "take the struct out of the map, change it and put it back: v := " + m[1] + "; v." + m[2] + " = …; " +
			m[1] + " = v"
	}
	if m := notPlace().FindStringSubmatch(msg); m != nil && r.isText(e) {
		return "strings cannot be changed: build a new one, or change a []byte or []rune made from it"
	}
	if m := notUsed().FindStringSubmatch(msg); m != nil {
		if strings.HasPrefix(m[1], "append(") {
			return "append returns the longer slice: xs = append(xs, …)"
		}
		return "only the last expression of a cell is shown; print others with fmt.Println"
	}
	if strings.HasPrefix(msg, "non-boolean condition") {
		if r.names(e.Pos) {
			return "a function is named here but not called: write its arguments in parentheses"
		}
		return "Go wants a comparison here, as in x != nil, x != 0 or x != \"\""
	}
	return ""
}

// conversion explains how to combine values of two types; empty if it does not know how.
func conversion(a, b string) string {
	switch {
	case number(a) && number(b):
		return "convert one of them, as in float64(n) or int(x)"
	case a == "string" && number(b), number(a) && b == "string":
		return "strconv.Atoi reads a number from text, fmt.Sprint writes one as text"
	}
	return ""
}

// number reports whether a name denotes a predeclared numeric type.
func number(name string) bool {
	t, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return false
	}
	b, ok := t.Type().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// isText reports whether the index expression at an error's position indexes a string.
func (r *reporter) isText(e types.Error) bool {
	text := false
	ast.Inspect(r.file, func(n ast.Node) bool {
		if index, ok := n.(*ast.IndexExpr); ok && index.Pos() == e.Pos {
			b, ok := r.info.TypeOf(index.X).Underlying().(*types.Basic)
			text = ok && b.Info()&types.IsString != 0
		}
		return !text
	})
	return text
}

// names reports whether the expression at a position is a function.
func (r *reporter) names(pos token.Pos) (function bool) {
	found := false
	ast.Inspect(r.file, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found && e.Pos() == pos { // the whole expression, not what it calls
			found = true
			if t := r.info.TypeOf(e); t != nil {
				_, function = t.Underlying().(*types.Signature)
			}
		}
		return !found
	})
	return function
}
