package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Methods of other languages, by the kind of value. In the advice, $x stands for the value, $a for the arguments,
// $1 for the first argument. Case and underscores in names are ignored.
var (
	textMethods = map[string]string{
		"split": "strings.Split($x, $a)", "strip": "strings.TrimSpace($x)", "trim": "strings.TrimSpace($x)",
		"upper":       "strings.ToUpper($x)",
		"touppercase": "strings.ToUpper($x)", "lower": "strings.ToLower($x)", "tolowercase": "strings.ToLower($x)",
		"join":    "strings.Join($a, $x)",
		"replace": "strings.ReplaceAll($x, $a)", "startswith": "strings.HasPrefix($x, $a)",
		"endswith": "strings.HasSuffix($x, $a)",
		"includes": "strings.Contains($x, $a)", "indexof": "strings.Index($x, $a)", "find": "strings.Index($x, $a)",
		"splitlines": `strings.Split($x, "\n")`,
		"lines":      `strings.Split($x, "\n")`, "format": "fmt.Sprintf($x, $a), with %v where a value goes",
		"substring": "$x[from:to]", "substr": "$x[from:to]", "slice": "$x[from:to]",
		"charat": "$x[i]", "match": "regexp.MustCompile(`…`).FindString($x)",
		"matchall": "regexp.MustCompile(`…`).FindAllString($x, -1)",
		"findall":  "regexp.MustCompile(`…`).FindAllString($x, -1)", "lstrip": `strings.TrimLeft($x, " ")`,
		"rstrip":   `strings.TrimRight($x, " \n")`,
		"tostring": "$x, which is a string already", "string": "$x, which is a string already",
		"isempty": `$x == ""`, "encode": "[]byte($x)", "isdigit": "strconv.Atoi($x), whose error tells",
		"reverse": "slices.Reverse on []rune($x)", "foreach": "for _, r := range $x { … }",
	}
	listMethods = map[string]string{
		"append": "$x = append($x, $a)", "push": "$x = append($x, $a)", "add": "$x = append($x, $a)",
		"pushback": "$x = append($x, $a)", "extend": "$x = append($x, $a...)",
		"concat": "append($x, $a...)", "addall": "$x = append($x, $a...)",
		"pop": "last := $x[len($x)-1]; $x = $x[:len($x)-1]", "sort": "slices.Sort($x)",
		"includes": "slices.Contains($x, $a)", "indexof": "slices.Index($x, $a)", "join": "strings.Join($x, $a)",
		"first": "$x[0]", "last": "$x[len($x)-1]",
		"map": "for i, v := range $x { … }", "foreach": "for i, v := range $x { … }",
		"filter": "for _, v := range $x { if … { out = append(out, v) } }",
		"reduce": "for _, v := range $x { … }", "remove": "slices.Delete($x, from, to)",
		"shift": "$x[0], then $x = $x[1:]", "slice": "$x[from:to]", "isempty": "len($x) == 0",
		"get": "$x[$a]", "set": "$x[i] = v",
	}
	mapMethods = map[string]string{
		"keys":   "maps.Keys($x); in order: slices.Sorted(maps.Keys($x))",
		"values": "maps.Values($x), or for _, v := range $x { … }", "items": "for k, v := range $x { … }",
		"entries": "for k, v := range $x { … }", "entryset": "for k, v := range $x { … }",
		"keyset": "for k := range $x { … }", "foreach": "for k, v := range $x { … }",
		"get": "v, ok := $x[$1]", "getordefault": "v, ok := $x[$1]", "has": "_, ok := $x[$a]",
		"haskey": "_, ok := $x[$a]", "containskey": "_, ok := $x[$a]", "contains": "_, ok := $x[$a]",
		"set": "$x[key] = value", "put": "$x[key] = value", "add": "$x[$a] = true", "update": "maps.Copy($x, $a)",
		"remove": "delete($x, $a)", "delete": "delete($x, $a)",
		"pop": "v := $x[$1]; delete($x, $1)", "setdefault": "if _, ok := $x[$1]; !ok { $x[$1] = … }",
		"clear": "clear($x)", "sort": "slices.Sorted(maps.Keys($x))",
		"mostcommon": "keys := slices.SortedFunc(maps.Keys($x), func(a, b string) int { return $x[b] - $x[a] })",
		"isempty":    "len($x) == 0",
	}
	lengths = map[string]bool{"length": true, "len": true, "size": true}
)

// foreignMember returns advice for a method or property that other languages have; empty if it does not know the
// member.
func (r *reporter) foreignMember(sel *ast.SelectorExpr, t types.Type) string {
	if advice := foreignMembers[exprName(sel.X)+"."+sel.Sel.Name]; advice != "" {
		return advice
	}
	called, args := r.argumentsOf(sel)
	name := strings.ToLower(strings.ReplaceAll(sel.Sel.Name, "_", ""))
	methods, packages := map[string]string(nil), ""
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			methods, packages = textMethods, "strings"
		case name == "tostring" || name == "string" || name == "tofixed":
			return "write fmt.Sprint(" + r.short(sel.X) + ")"
		default:
			return ""
		}
	case *types.Slice, *types.Array:
		methods, packages = listMethods, "slices"
	case *types.Map:
		methods, packages = mapMethods, "maps"
	default:
		return ""
	}
	x := r.short(sel.X)
	if lengths[name] || name == "count" && args == "" {
		return "write len(" + x + ")"
	}
	if template := methods[name]; template != "" && (called || name != "keys" && name != "values" && name != "items") {
		first, _, _ := strings.Cut(args, ",")
		parts := strings.NewReplacer("$x", x, "$a", cmp.Or(args, "…"), "$1", cmp.Or(first, "key"))
		return "write " + parts.Replace(template)
	}
	if fn := r.functionOf(packages, name); fn != "" && called {
		return "write " + packages + "." + fn + "(" + strings.TrimSuffix(x+", "+args, ", ") + ")"
	}
	return ""
}

// argumentsOf reports whether a selector is called, and returns the arguments as written.
func (r *reporter) argumentsOf(sel *ast.SelectorExpr) (called bool, args string) {
	ast.Inspect(r.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && ast.Unparen(call.Fun) == sel {
			called = true
			var texts []string
			for _, arg := range call.Args {
				texts = append(texts, r.short(arg))
			}
			args = strings.Join(texts, ", ")
		}
		return !called
	})
	return called, args
}

// functionOf returns the exported function of a package with this name, ignoring case; empty if there is none.
func (r *reporter) functionOf(path, name string) string {
	pkg, err := r.s.importer.Import(path)
	if err != nil {
		return ""
	}
	for _, exported := range pkg.Scope().Names() {
		_, ok := pkg.Scope().Lookup(exported).(*types.Func)
		if ok && token.IsExported(exported) && strings.EqualFold(exported, name) {
			return exported
		}
	}
	return ""
}

// shortText bounds, in bytes, the part of a cell that advice quotes.
const shortText = 60

// short returns an expression as written, or an ellipsis if it is long.
func (r *reporter) short(e ast.Expr) string {
	text := sourceText(r.s.fset, r.c.Source, e)
	if text == "" || len(text) > shortText || strings.Contains(text, "\n") {
		return "…"
	}
	return text
}

// foreignNames maps names that other languages predeclare to advice.
var foreignNames = map[string]string{
	"None": "write nil; a text that is missing is \"\", a number 0",
	"null": "write nil; a text that is missing is \"\", a number 0",
	"NULL": "write nil", "nullptr": "write nil", "undefined": "write nil", "Nil": "write nil",
	"True": "write true", "TRUE": "write true", "False": "write false", "FALSE": "write false",
	"str": "write fmt.Sprint(x)", "repr": "write fmt.Sprintf(\"%q\", x)",
	"float": "write float64(x), or strconv.ParseFloat(text, 64) for a text", "double": "write float64(x)",
	"list": "write []string{…}", "dict": "write map[string]int{}", "defaultdict": "write map[string]int{}",
	"Counter":     "write counts := map[string]int{}, then counts[x]++",
	"collections": "write counts := map[string]int{}, then counts[x]++",
	"OrderedDict": "write a map, and slices.Sorted(maps.Keys(m)) for its keys in order",
	"set":         "write seen := map[string]bool{}, then seen[x] = true",
	"Set":         "write seen := map[string]bool{}, then seen[x] = true", "tuple": "write a struct",
	"enumerate": "write for i, x := range xs {", "zip": "write for i := range a { … a[i], b[i] … }",
	"sum":    "add them in a loop: for _, x := range xs { total += x }",
	"any":    "write slices.ContainsFunc(xs, func(x int) bool { return … })",
	"all":    "write !slices.ContainsFunc(xs, func(x int) bool { return !(…) })",
	"filter": "write a for loop with if and append", "reduce": "write a for loop",
	"reversed": "write slices.Reverse(xs), which changes xs",
	"open":     "cells have no files: the text is in the variable context",
	"readFile": "cells have no files: the text is in the variable context",
	"input":    "nobody can be asked: the text is in the variable context", "isinstance": "write v, ok := x.(T)",
	"typeof": "write fmt.Sprintf(\"%T\", x)", "type": "write fmt.Sprintf(\"%T\", x)",
	"re": "write regexp.MustCompile(`…`)", "console": "write fmt.Println(…)",
	"parseInt": "write n, err := strconv.Atoi(text)", "atoi": "write n, err := strconv.Atoi(text)",
	"parseFloat": "write x, err := strconv.ParseFloat(text, 64)", "exit": "write return, which ends the cell",
	"quit":   "write return, which ends the cell",
	"printf": "write fmt.Printf(…)", "puts": "write fmt.Println(…)", "echo": "write fmt.Println(…)",
	"ord": "write int(text[0]), or a loop over runes", "chr": "write string(rune(n))",
	"self": "write the name of the receiver", "this": "write the name of the receiver",
	"datetime": "write time.Parse(layout, text)",
	"JSON":     "write json.Unmarshal([]byte(text), &v) or parse_json(text)",
	"Error":    "write errors.New(\"…\") or fmt.Errorf", "Exception": "write errors.New(\"…\") or panic",
	"uniq":   "write slices.Sort(xs); xs = slices.Compact(xs)",
	"unique": "write slices.Sort(xs); xs = slices.Compact(xs)",
}

// foreignValues contains the foreign names that are not functions.
var foreignValues = map[string]bool{
	"None": true, "null": true, "NULL": true, "nullptr": true, "undefined": true, "Nil": true, "True": true,
	"TRUE": true, "False": true, "FALSE": true,
	"re": true, "console": true, "collections": true, "self": true, "this": true, "datetime": true, "JSON": true,
}

// foreignName returns advice for an undefined name that other languages have; empty if it does not know the name.
func (r *reporter) foreignName(name string, pos token.Pos) string {
	call := r.callAt(pos)
	if call != nil && len(call.Args) > 0 {
		arg := r.short(call.Args[0])
		switch name {
		case "range":
			return "write for i := range " + arg + " {"
		case "sorted":
			if t := r.info.TypeOf(call.Args[0]); t != nil {
				if _, ok := t.Underlying().(*types.Map); ok {
					return "write slices.Sorted(maps.Keys(" + arg + "))"
				}
			}
			return "write slices.Sort(" + arg + "), which sorts in place"
		case "str", "String", "toString":
			return "write fmt.Sprint(" + arg + ")"
		}
	}
	if call == nil && !foreignValues[name] {
		return ""
	}
	return foreignNames[name]
}

// library returns the package of a function that is called without a package name; empty if no package has it.
func (r *reporter) library(name string, pos token.Pos) string {
	call := r.callAt(pos)
	if call == nil {
		return ""
	}
	packages := []string{"strings", "fmt", "slices", "strconv", "math", "regexp", "sort", "maps"}
	if len(call.Args) > 0 {
		if t := r.info.TypeOf(call.Args[0]); t != nil {
			switch t.Underlying().(type) {
			case *types.Slice:
				packages = []string{"slices", "strings", "sort"}
			case *types.Map:
				packages = []string{"maps"}
			}
		}
	}
	for _, path := range packages {
		if fn := r.functionOf(path, name); fn != "" {
			return "did you mean " + path + "." + fn + "?"
		}
	}
	return ""
}

// callAt returns the call of the function whose name is at a position; nil if it is not called.
func (r *reporter) callAt(pos token.Pos) (call *ast.CallExpr) {
	ast.Inspect(r.file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && ast.Unparen(c.Fun).Pos() == pos {
			if _, name := ast.Unparen(c.Fun).(*ast.Ident); name {
				call = c
			}
		}
		return call == nil
	})
	return call
}

// untypedParameters returns advice for a name in place of a parameter's type.
func (r *reporter) untypedParameters(pos token.Pos) (advice string) {
	ast.Inspect(r.file, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncType)
		if !ok || fn.Params == nil || pos < fn.Params.Pos() || pos >= fn.Params.End() {
			return advice == ""
		}
		var names []string
		for _, field := range fn.Params.List {
			id, ok := field.Type.(*ast.Ident)
			switch {
			case !ok:
				return true
			case len(field.Names) == 1 && id.Pos() == pos && types.Universe.Lookup(field.Names[0].Name) != nil:
				advice = "the type follows the name: " + id.Name + " " + field.Names[0].Name
				return false
			case len(field.Names) > 0, r.info.Uses[id] != nil, types.Universe.Lookup(id.Name) != nil,
				id.Name != strings.ToLower(id.Name):
				return true
			}
			names = append(names, id.Name)
		}
		advice = "parameters need types: func(" + strings.Join(names, ", ") + " int)"
		return false
	})
	return advice
}
