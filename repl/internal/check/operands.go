package check

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

var (
	mismatched = lazy.Regexp(`\(mismatched types (untyped )?(\S+) and (untyped )?(\S+)\)$`)
	notUsed    = lazy.Regexp(`^(.+) \(.*\) is not used$`)
	inMap      = lazy.Regexp(`^cannot assign to struct field (.+)\.(\w+) in map$`)
	notPlace   = lazy.Regexp(`^cannot assign to (.+)\[.*\] \(neither addressable`)
)

// operands answers for mistakes that people make who come from other languages.
func (r *reporter) operands(e types.Error, msg string) string {
	if m := mismatched().FindStringSubmatch(msg); m != nil {
		return conversion(m[2], m[4])
	}
	if m := inMap().FindStringSubmatch(msg); m != nil {
		return "take the struct out of the map, change it and put it back: v := " + m[1] + "; v." + m[2] + " = …; " + m[1] + " = v"
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
		return "Go wants a comparison here, as in x != nil, x != 0 or x != \"\""
	}
	return ""
}

// conversion says how two types meet; empty if they do not.
func conversion(a, b string) string {
	switch {
	case number(a) && number(b):
		return "convert one of them, as in float64(n) or int(x)"
	case a == "string" && number(b), number(a) && b == "string":
		return "strconv.Atoi reads a number from text, fmt.Sprint writes one as text"
	}
	return ""
}

// number reports whether a name is that of a numeric type.
func number(name string) bool {
	t, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return false
	}
	b, ok := t.Type().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// isText reports whether what is indexed at an error's place is a string.
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
