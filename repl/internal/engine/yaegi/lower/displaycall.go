package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// Compiled functions that only read the parts of a value, and do not keep it, may receive values of cells' types,
// if these print the same without the names that the interpreter has lost.

// displayCall describes a function that formats its arguments, starting at index from. If format is set, the
// argument before them is the format.
type displayCall struct {
	from   int
	format bool
}

var displayCalls = map[string]displayCall{
	"fmt.Print": {}, "fmt.Println": {}, "fmt.Sprint": {}, "fmt.Sprintln": {}, "fmt.Fprint": {from: 1},
	"fmt.Fprintln": {from: 1}, "fmt.Printf": {1, true}, "fmt.Sprintf": {1, true}, "fmt.Errorf": {1, true},
	"fmt.Fprintf": {2, true},
	"log.Print":   {}, "log.Println": {}, "log.Printf": {1, true},
}

// shows reports whether a compiled function treats its i-th argument, whose type is a cell's, as it would in a
// compiled program.
func (f *fn) shows(call *ast.CallExpr, o *types.Func, i int, t types.Type) bool {
	switch o.FullName() {
	case "sort.Slice", "sort.SliceStable", "sort.SliceIsSorted":
		return i == 0
	case "encoding/json.Marshal", "encoding/json.MarshalIndent", "(*encoding/json.Encoder).Encode":
		return i == 0 && alike(t, true, true)
	}
	s, ok := displayCalls[o.FullName()]
	switch {
	case !ok || i < s.from || call.Ellipsis.IsValid():
		return false
	case !s.format:
		return alike(t, false, true)
	}
	format := f.info.Types[call.Args[s.from-1]].Value
	if format == nil {
		return false
	}
	verbs := verbsOf(constant.StringVal(format))
	if len(verbs) != len(call.Args)-s.from {
		return false
	}
	return fits(verbs[i-s.from], t)
}

// verb matches one verb of a format, with its flags.
var verb = regexp.MustCompile(`%([-+# 0]*)(\d*)(\.\d*)?(.)`)

// verbsOf returns the verbs of a format with their flags; nil if the format is more complex.
func verbsOf(format string) (verbs []string) {
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[4] != "%" {
			verbs = append(verbs, m[1]+m[4])
		}
	}
	if strings.Contains(format, "[") || strings.Contains(format, "*") {
		return nil
	}
	return verbs
}

// verbKinds maps verbs to the basic types that they format without the name of the type.
var verbKinds = map[byte]types.BasicInfo{
	'd': types.IsInteger, 's': types.IsString, 'q': types.IsString, 'f': types.IsFloat, 'g': types.IsFloat,
	't': types.IsBoolean,
}

// fits reports whether a verb formats a value of a type without the type's name.
func fits(verb string, t types.Type) bool {
	last := verb[len(verb)-1]
	if last == 'v' {
		return !strings.Contains(verb, "#") && alike(t, strings.Contains(verb, "+"), true)
	}
	b := basicOf(t)
	return b != nil && b.Info()&verbKinds[last] != 0 && !strings.Contains(verb, "#")
}

// alike reports whether a value of a cell's type prints like the interpreter's value, in whose type types and
// unexported fields have other names. names means that field names are printed. A type that contains itself counts
// as different. So does a type with methods inside an unexported field: compiled code would not call them there,
// but it would with the interpreter's value, whose fields are all exported.
func alike(t types.Type, names, exported bool, in ...string) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if !dyn.IsUser(n) {
			return exported || n.Obj().Pkg() != nil && n.NumMethods() == 0 && basicOf(n) != nil
		}
		if slices.Contains(in, dyn.Key(n)) {
			return false
		}
		in = append(slices.Clip(in), dyn.Key(n))
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Interface:
		return exported
	case *types.Map:
		return alike(u.Key(), names, exported, in...) && alike(u.Elem(), names, exported, in...)
	case *types.Struct:
		for v := range u.Fields() {
			if v.Embedded() || names && !v.Exported() || !alike(v.Type(), names, exported && v.Exported(), in...) {
				return false
			}
		}
		return true
	case interface{ Elem() types.Type }:
		_, channel := u.(*types.Chan)
		return !channel && alike(u.Elem(), names, exported, in...)
	}
	return false
}
