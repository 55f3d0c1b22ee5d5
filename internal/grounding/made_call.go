package grounding

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// deepest bounds calls of functions of cells within each other.
const deepest = 6

// packaged reports whether a selector names something of a package that reads nothing but its arguments.
func (k *maker) packaged(e *ast.SelectorExpr) bool {
	id, ok := e.X.(*ast.Ident)
	if !ok || !standard.has(id.Name) && (id.Name != "time" || e.Sel.Name == "Now") {
		return false
	}
	_, local := k.vars[id.Name]
	return !local
}

// name returns what a variable is made of.
func (k *maker) name(name string) made {
	m, ok := k.vars[name]
	switch {
	case ok:
		return m
	case name == "context" || name == "docs":
		return made{text: true, doc: true}
	case name == "_" || k.universal(name):
		return made{}
	case k.funcs[name] != nil:
		return k.body(k.funcs[name], nil, unknown)
	}
	return unknown
}

// universal reports whether a name is predeclared, and no variable that is known.
func (k *maker) universal(name string) bool {
	_, known := k.vars[name]
	return !known && types.Universe.Lookup(name) != nil
}

// slice returns what a part is made of. A bound that is a literal is what the part's length is made of.
func (k *maker) slice(e *ast.SliceExpr) made {
	m := k.of(e.X)
	low, ok := e.Low.(*ast.BasicLit)
	start, whole := e.Low == nil || ok && low.Value == "0", m.doc
	if ok && m.text { // it is read, wherever it begins
		m = m.with(made{})
	} else {
		m = m.with(k.of(e.Low))
	}
	if l, ok := e.High.(*ast.BasicLit); ok {
		m.head, m.size = whole && start && len(l.Value) < 4, l
	} else {
		m = m.with(k.of(e.High))
	}
	return m
}

// body follows a function of a cell that is called with some values, and with rest for its other parameters.
func (k *maker) body(f *ast.FuncLit, args []made, rest made) made {
	if k.depth >= deepest {
		return unknown
	}
	k.depth++
	outer := map[string]made{} // what its parameters hide
	out, under := k.out, k.under
	k.out = made{}
	n := 0
	if f.Type.Params != nil {
		for _, p := range f.Type.Params.List {
			for _, id := range p.Names {
				m := rest
				if n < len(args) {
					m = args[n]
				}
				if old, ok := k.vars[id.Name]; ok {
					outer[id.Name] = old
				}
				k.set(id.Name, m)
				n++
			}
		}
	}
	k.block(f.Body)
	m := k.out
	if f.Type.Results != nil {
		for _, p := range f.Type.Results.List {
			for _, id := range p.Names {
				m = m.with(k.vars[id.Name])
			}
		}
	}
	maps.Copy(k.vars, outer)
	k.depth, k.out, k.under = k.depth-1, out, under
	return m
}

// call returns what the value of a call is made of.
func (k *maker) call(e *ast.CallExpr) made {
	name := strings.ToLower(calledName(e.Fun))
	if f, ok := e.Fun.(*ast.Ident); ok && k.funcs[f.Name] != nil {
		args := make([]made, len(e.Args))
		for i, a := range e.Args {
			args[i] = k.of(a)
		}
		return k.body(k.funcs[f.Name], args, unknown)
	}
	m, known, pure := made{}, false, false
	switch f := e.Fun.(type) {
	case *ast.FuncLit:
		for _, a := range e.Args {
			m = m.with(k.of(a))
		}
		return m.with(k.body(f, nil, unknown))
	case *ast.SelectorExpr:
		known, pure = true, k.packaged(f)
		if pure {
			if strings.HasPrefix(f.Sel.Name, "Date") && len(e.Args) > 2 {
				return k.date(e.Args)
			}
		} else if m = k.of(f.X); m.doc {
			m.doc, m.head = false, false
		}
	case *ast.Ident:
		known = types.Universe.Lookup(f.Name) != nil || f.Name == "parse_json"
		known = known || strings.HasPrefix(name, "final")
	case *ast.IndexExpr, *ast.ArrayType, *ast.MapType, *ast.ParenExpr:
		known = true
	}
	args, sizes, doc, each := made{}, (*ast.BasicLit)(nil), false, []made(nil)
	var callbacks []*ast.FuncLit
	for i, a := range e.Args {
		if f, ok := a.(*ast.FuncLit); ok && pure {
			callbacks = append(callbacks, f)
			continue
		}
		if labelled, skip := k.aside(name, i, a, e.Args); skip {
			args.free = args.free || labelled
			continue
		}
		x := k.of(a)
		sizes, doc = x.size, x.doc
		args, each = args.with(x), append(each, x)
		if x.head && len(e.Args) == 1 {
			args.head = true
		}
	}
	for _, f := range callbacks { // it gets nothing but what the other arguments have
		args = args.with(k.body(f, nil, args))
	}
	switch {
	case name == "hasprefix" && len(each) == 2 && each[0].doc:
		return made{fact: true}
	case name == "len" || name == "runecountinstring":
		if doc {
			return made{fact: true}
		}
		if sizes != nil && name == "len" {
			return k.literal(sizes)
		}
	case name == "final" || name == "final_var":
		m = args.with(k.under)
		if name == "final_var" {
			m = unknown
		}
		k.hands = k.hands.with(m)
		return m
	case strings.HasPrefix(name, "llm_"), strings.HasPrefix(name, "rlm_"):
		k.asks++
		k.prompted(e.Args)
		m = made{own: true, free: true}
		if args.text || args.seen {
			k.told, m = true, unknown
		}
		k.written(e.Args, m)
		return m
	case searching(name) && whole(name, each):
		var c code
		for _, a := range e.Args {
			c.walk(asked, a)
		}
		m.patterns = append(m.patterns, c.literals[asked].String())
	case strings.Contains(name, "print") && !strings.HasPrefix(name, "s") && !strings.HasPrefix(name, "f"):
		k.show(each...)
		return args
	}
	if !known {
		return made{text: true, patterns: m.patterns}
	}
	m = m.with(args)
	k.written(e.Args, m)
	if f, ok := e.Fun.(*ast.SelectorExpr); ok && !k.packaged(f) {
		k.add(f.X, args.with(k.under))
	} else if strings.HasPrefix(name, "fprint") || name == "copy" {
		k.add(e.Args[0], args.with(k.under))
	}
	if args.head && (strings.HasPrefix(name, "trim") || name == "string") {
		m.head = true
	}
	return m
}

// written makes the variables whose addresses a call gets also of what it may write to them.
func (k *maker) written(args []ast.Expr, m made) {
	for _, a := range args {
		if u, ok := a.(*ast.UnaryExpr); ok {
			k.add(u.X, m)
		}
	}
}

// prompted records the literals of a prompt, between the values that a format puts there.
func (k *maker) prompted(args []ast.Expr) {
	for _, a := range args {
		ast.Inspect(a, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && len(k.prompts) < mostLiterals {
				for i, s := range strings.Split(plain(l.Value), "%") {
					if s = s[min(i, 1, len(s)):]; len(s) > 8 {
						k.prompts = append(k.prompts, s)
					}
				}
			}
			return true
		})
	}
}

// whole reports whether a call searches the text of documents as a whole.
func whole(name string, args []made) bool {
	return name == "grep" || name == "search" || name == "query" ||
		slices.ContainsFunc(args, func(a made) bool { return a.text && !a.head })
}

// aside reports whether an argument only says how a value is written, and whether it is a literal then.
func (k *maker) aside(name string, i int, a ast.Expr, all []ast.Expr) (bool, bool) {
	if l, ok := a.(*ast.BasicLit); ok && len(all) > 1 {
		switch {
		case strings.Contains(name, "print") && strings.HasPrefix(l.Value, `"`), name == "join",
			name == "parse" && i == 0:
			return true, true
		case i > 0 && (shapers.has(name) && name != "repeat" && name != "parse" || conversions.has(name)):
			return true, true
		}
	}
	return false, name == "format" || name == "make" && i == 0 || name == "new"
}

// conversions have arguments that give a base or a precision.
var conversions = words("formatfloat formatint parseint parsefloat")

// date returns what a date of literals is made of: it was seen if a text has the year with the day and the month.
func (k *maker) date(args []ast.Expr) made {
	m, all := made{}, true
	for _, a := range args[:3] {
		_, lit := a.(*ast.BasicLit)
		if s, ok := a.(*ast.SelectorExpr); ok {
			lit = k.packaged(s)
		}
		all, m = all && lit, m.with(k.of(a))
	}
	if !all {
		for _, a := range args[3:] {
			m = m.with(k.of(a))
		}
		return m
	}
	var parts [3]string
	for i, a := range args[:3] {
		switch a := a.(type) {
		case *ast.BasicLit:
			parts[i] = a.Value
		case *ast.SelectorExpr:
			parts[i] = a.Sel.Name
		}
	}
	return k.sight(k.dated(parts))
}

// weighed returns what a comparison of values is made of, which is m without it: which of two counts is larger tells of
// the keys that they have, as in m["auth"] > m["mailer"].
func (k *maker) weighed(e *ast.BinaryExpr, m made) made {
	switch e.Op {
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
	default:
		return m
	}
	if l, ok := e.Y.(*ast.BasicLit); !m.text || ok && (l.Value == "0" || l.Value == "1") {
		return m
	}
	m.weighs = true
	ast.Inspect(e, func(n ast.Node) bool {
		if at, ok := n.(*ast.IndexExpr); ok {
			if key, ok := at.Index.(*ast.BasicLit); ok && key.Kind == token.STRING && len(m.patterns) < mostLiterals {
				m.patterns = append(slices.Clip(m.patterns), plain(key.Value))
			}
		}
		return true
	})
	return m
}
