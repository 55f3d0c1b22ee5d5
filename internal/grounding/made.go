package grounding

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// made is what a value of a cell is made of.
type made struct {
	text     bool          // something that the run read, by reading, searching or asking
	doc      bool          // the context, a document or the documents as a whole
	head     bool          // only the beginning of a document
	fact     bool          // sizes, names and numbers of documents, which the first message tells
	key      bool          // it counts what a loop runs over
	free     bool          // some literal, of any kind
	seen     bool          // a literal that the run has seen before
	own      bool          // a literal that it has not seen, or a reply from memory
	size     *ast.BasicLit // the literal that limits its length
	patterns []string      // what searches of the text as a whole, on which it depends, looked for
	weighs   bool          // it depends on which of two values is larger
}

// with returns what a value made of both is made of.
func (m made) with(o made) made {
	m.text, m.free, m.seen, m.own = m.text || o.text, m.free || o.free, m.seen || o.seen, m.own || o.own
	m.fact, m.head, m.doc, m.key, m.size = m.fact || o.fact, false, false, false, nil
	m.weighs = m.weighs || o.weighs
	if len(o.patterns) > 0 && len(m.patterns) < mostLiterals {
		m.patterns = append(slices.Clip(m.patterns), o.patterns...)
	}
	return m
}

// computed reports whether code can have computed such a value: from what was read, or from literals that were seen.
func (m made) computed() bool {
	return m.text || m.seen && !m.own || m.fact && !m.own && !m.free
}

// invented reports whether the model made up all that such a value is made of.
func (m made) invented() bool { return !m.text && m.own }

// idle reports whether a value is made of nothing that was read: it is what a variable began with.
func (m made) idle() bool { return !m.text && !m.seen && !m.fact && !m.doc && !m.key }

// maker follows what the values of the cells of a run are made of, cell by cell. What it does not understand counts as
// read.
type maker struct {
	vars   map[string]made
	funcs  map[string]*ast.FuncLit // functions that the cells declare
	seen   func(literal string) bool
	dated  func(parts [3]string) bool // reports whether a year, month and day were seen
	under  made                       // what decides whether the current statement runs
	out    made                       // what returns of the current function
	depth  int
	steps  int  // expressions that were followed in the current cell
	prints made // what the current cell prints
	hands  made // what it submits
	heads  bool // it prints nothing but facts, literals and beginnings of documents
	asks   int  // calls of models
	told   bool // one of them was given something that was read or seen

	prompts []string // what they were told by literals
}

// begin starts a cell.
func (k *maker) begin() {
	k.under, k.prints, k.hands, k.heads = made{}, made{}, made{}, true
	k.asks, k.told, k.prompts, k.steps = 0, false, nil, 0
}

var unknown = made{text: true}

// blur records that a statement could not be read: the names in it can be made of anything.
func (k *maker) blur(name string) {
	k.set(name, unknown)
	k.prints, k.hands, k.told, k.heads = unknown, unknown, true, false
}

func (k *maker) set(name string, m made) {
	if name != "_" && (len(k.vars) < 4096 || k.vars[name].text) {
		k.vars[name] = m
	}
}

// add makes a variable also of something else.
func (k *maker) add(e ast.Expr, m made) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if old, ok := k.vars[x.Name]; ok && !m.doc {
				k.set(x.Name, old.with(m))
			}
			return
		case *ast.IndexExpr:
			m = m.with(k.of(x.Index))
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		default:
			return
		}
	}
}

// declare follows a top-level declaration; a statement is the body of a function named "_".
func (k *maker) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "_" {
			k.block(d.Body)
		} else if d.Body != nil && d.Recv == nil {
			k.funcs[d.Name.Name] = &ast.FuncLit{Type: d.Type, Body: d.Body}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				k.assign(exprs(v.Names), v.Values, true)
			}
		}
	}
}

func exprs(names []*ast.Ident) []ast.Expr {
	out := make([]ast.Expr, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

func (k *maker) block(b *ast.BlockStmt) {
	if b != nil {
		for _, s := range b.List {
			k.stmt(s)
		}
	}
}

// inside follows a statement that runs only as something decides.
func (k *maker) inside(m made, s ast.Stmt) {
	before := k.under
	k.under = before.with(m)
	k.stmt(s)
	k.under = before
}

func (k *maker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		k.block(s)
	case *ast.ExprStmt:
		m := k.of(s.X)
		if call, ok := s.X.(*ast.CallExpr); !ok || !silent(call) { // it may be the value of the cell
			k.show(m)
		}
	case *ast.AssignStmt:
		k.assign(s.Lhs, s.Rhs, s.Tok == token.DEFINE || s.Tok == token.ASSIGN)
	case *ast.IncDecStmt:
		k.add(s.X, k.under)
	case *ast.DeclStmt:
		k.declare(s.Decl)
	case *ast.IfStmt:
		k.stmt(s.Init)
		before := k.under
		if m, ok := k.limit(s.Cond); ok { // what stops at a literal counts no more than the literal
			k.under = m
		} else {
			k.under = k.under.with(k.of(s.Cond))
		}
		k.block(s.Body)
		k.stmt(s.Else)
		k.under = before
	case *ast.ForStmt:
		k.stmt(s.Init)
		m := made{}
		if s.Cond != nil {
			m = k.of(s.Cond)
		}
		k.inside(m, s.Body)
		k.stmt(s.Post)
	case *ast.RangeStmt:
		over := k.of(s.X)
		if id, ok := s.Key.(*ast.Ident); ok {
			i := over
			if over.doc && docs(s.X) {
				i = made{fact: true}
			}
			i.doc, i.head, i.key, i.size = false, false, true, nil
			k.set(id.Name, i)
		}
		if id, ok := s.Value.(*ast.Ident); ok {
			k.set(id.Name, over)
		}
		if over.doc && docs(s.X) {
			over = made{fact: true}
		}
		k.inside(over, s.Body)
	case *ast.SwitchStmt:
		k.stmt(s.Init)
		m := made{}
		if s.Tag != nil {
			m = k.of(s.Tag)
		}
		k.inside(m, s.Body)
	case *ast.TypeSwitchStmt:
		k.stmt(s.Init)
		k.stmt(s.Assign)
		k.block(s.Body)
	case *ast.CaseClause:
		m := made{}
		for _, e := range s.List {
			m = m.with(k.of(e))
		}
		k.inside(m, &ast.BlockStmt{List: s.Body})
	case *ast.ReturnStmt:
		for _, e := range s.Results {
			k.out = k.out.with(k.of(e)).with(k.under)
		}
	case *ast.LabeledStmt:
		k.stmt(s.Stmt)
	case *ast.DeferStmt:
		k.of(s.Call)
	case *ast.GoStmt:
		k.of(s.Call)
	case *ast.SendStmt:
		k.add(s.Chan, k.of(s.Value).with(k.under))
	case *ast.SelectStmt:
		k.block(s.Body)
	case *ast.CommClause:
		k.stmt(s.Comm)
		k.block(&ast.BlockStmt{List: s.Body})
	}
}

// docs reports whether an expression is the list of the documents.
func docs(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "docs"
}

// limit reports whether a condition only compares what a loop counts with a literal, and returns that.
func (k *maker) limit(e ast.Expr) (made, bool) {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.LSS && b.Op != token.LEQ {
		return made{}, false
	}
	l, ok := b.Y.(*ast.BasicLit)
	if !ok || l.Value == "0" || l.Value == "1" || !k.of(b.X).key {
		return made{}, false
	}
	return k.literal(l), true
}

// silent reports whether the value of a call is no result of its cell.
func silent(call *ast.CallExpr) bool {
	name := strings.ToLower(calledName(call.Fun))
	return strings.Contains(name, "print") || strings.HasPrefix(name, "final") || builtin(name)
}

// show records that the cell prints something.
func (k *maker) show(ms ...made) {
	for _, m := range ms {
		k.heads = k.heads && (m.head || !m.text && !m.seen)
		k.prints = k.prints.with(m)
	}
	k.heads = k.heads && !k.under.text
	k.prints = k.prints.with(k.under)
}

// assign follows an assignment.
func (k *maker) assign(lhs, rhs []ast.Expr, anew bool) {
	values := make([]made, len(rhs))
	for i, e := range rhs {
		if f, ok := e.(*ast.FuncLit); ok && i < len(lhs) {
			if id, ok := lhs[i].(*ast.Ident); ok {
				k.funcs[id.Name] = f
				continue
			}
		}
		values[i] = k.of(e)
	}
	for i, e := range lhs {
		m := made{}
		if len(values) > 0 {
			m = values[min(i, len(values)-1)]
		}
		if k.under.text || k.under.own || k.under.free || k.under.fact || k.under.seen {
			if m.head || m.doc {
				m.text = true
			} else {
				m = m.with(k.under)
			}
		}
		id, ok := e.(*ast.Ident)
		switch {
		case ok && anew && k.depth == 0 && !nested(k.under):
			k.set(id.Name, m)
		case ok:
			old, was := k.vars[id.Name]
			if was && !m.doc && !m.head {
				m = m.with(old)
			}
			k.set(id.Name, m)
		case calledName(e) == "answer":
			k.hands = k.hands.with(m)
		default:
			k.add(e, m)
		}
	}
}

// nested reports whether something decides about a statement, so that a variable may keep its value.
func nested(under made) bool { return under.text || under.free || under.fact }

// literal returns what a literal is made of. Units of measures and powers of ten are nobody's claim, nor are small
// numbers.
func (k *maker) literal(l *ast.BasicLit) made {
	s := plain(l.Value)
	switch {
	case l.Value == "0" || l.Value == "1" || s == "":
		return made{}
	case l.Kind != token.STRING && constants.has(strings.TrimSuffix(s, ".0")):
		return made{}
	case l.Kind != token.STRING && len(strings.TrimSuffix(s, ".0")) == 1:
		return made{free: true, seen: k.seen(s)}
	case l.Kind == token.STRING && !strings.ContainsAny(s, "0123456789\n") && strings.Count(s, " ") < 3:
		return made{free: true}
	}
	return k.sight(k.seen(s))
}

// sight returns what a literal is made of that was seen, or not.
func (k *maker) sight(seen bool) made { return made{free: true, seen: seen, own: !seen} }

// constants are numbers of units of measure and scales.
var constants = words("10 12 24 60 100 365 1000 1024 3600 86400 1e3 1e6 1e9 10000 100000 1000000 1000000000 1048576")

// of returns what an expression is made of.
func (k *maker) of(e ast.Expr) made {
	if k.steps++; k.steps > maxCode {
		return unknown
	}
	switch e := e.(type) {
	case nil:
		return made{}
	case *ast.BasicLit:
		return k.literal(e)
	case *ast.Ident:
		return k.name(e.Name)
	case *ast.ParenExpr:
		return k.of(e.X)
	case *ast.StarExpr:
		return k.of(e.X)
	case *ast.UnaryExpr:
		return k.of(e.X)
	case *ast.TypeAssertExpr:
		return k.of(e.X)
	case *ast.BinaryExpr:
		return k.weighed(e, k.of(e.X).with(k.of(e.Y)))
	case *ast.KeyValueExpr:
		if _, field := e.Key.(*ast.Ident); field {
			return k.of(e.Value)
		}
		return k.of(e.Key).with(k.of(e.Value))
	case *ast.CompositeLit:
		m, lines := made{}, []string(nil)
		for _, x := range e.Elts {
			if l, ok := x.(*ast.BasicLit); ok && l.Kind == token.STRING {
				lines = append(lines, plain(l.Value))
				continue
			}
			m = m.with(k.of(x))
		}
		if len(lines) > 1 { // they are a text of several lines
			m = m.with(k.sight(k.seen(strings.Join(lines, "\n"))))
		}
		return m
	case *ast.FuncLit:
		return k.body(e, nil, unknown)
	case *ast.IndexExpr:
		if x, ok := e.X.(*ast.Ident); ok && k.universal(x.Name) { // a variable named cap
			return unknown
		}
		m, i := k.of(e.X), k.of(e.Index)
		if k.firstLine(e) {
			m.head = true
			return m
		}
		if m.doc && docs(e.X) {
			return m
		}
		return m.with(i)
	case *ast.IndexListExpr:
		return k.of(e.X)
	case *ast.SliceExpr:
		return k.slice(e)
	case *ast.SelectorExpr:
		if k.packaged(e) {
			return made{}
		}
		m := k.of(e.X)
		if id, ok := e.X.(*ast.Ident); ok && k.universal(id.Name) { // a variable called max
			return unknown
		}
		if m.doc && e.Sel.Name != "Text" && e.Sel.Name != "Parts" && e.Sel.Name != "Notes" {
			return made{fact: true}
		}
		return m
	case *ast.CallExpr:
		return k.call(e)
	case *ast.ArrayType, *ast.MapType, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.ChanType, *ast.Ellipsis:
		return made{}
	}
	return unknown
}

// firstLine reports whether an expression is the first line of a document.
func (k *maker) firstLine(e *ast.IndexExpr) bool {
	at, ok := e.Index.(*ast.BasicLit)
	call, is := e.X.(*ast.CallExpr)
	if !ok || !is || at.Value != "0" || len(call.Args) == 0 {
		return false
	}
	name := strings.ToLower(calledName(call.Fun))
	return (strings.HasPrefix(name, "split") || name == "lines") && k.of(call.Args[0]).doc
}

// unmade takes the places of numbers that no literal has from an answer which code made of the model's own literals
// alone, or of a nought or one that a variable began with: they are found elsewhere by chance.
func (t *tracer) unmade(last *code, hands made) {
	for _, c := range t.claims {
		v, whole := c.q.whole()
		chance := c.kind == aNumber && c.place != nil && !c.literal && !c.neutral
		if chance && last != nil && last.expression && (hands.invented() || hands.idle() && whole && v < 2) {
			c.place, c.why, c.said = nil, "", true
		}
	}
}
