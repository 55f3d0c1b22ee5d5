package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// Change is a cell's effect on the session, applied once the engine has loaded the cell.
type Change struct {
	// Notes are remarks for the cell's author.
	Notes []string
	// Vars are the variables that the cell declares at its top level.
	Vars []Variable
	// Mentioned lists, by their names in hoisted files, the session variables that the cell mentions and so may
	// have changed.
	Mentioned []string

	cell    int
	program string // the cell's source, if it has a function main
	objects []types.Object
	symbols []*Symbol
	methods []methodChange
	world   map[string]types.Object // objects of the session that were made again, in pkg
	pkg     *types.Package
	users   map[string][]string // object → functions that refer to it
	address []string
	aliases map[string]string
	// generators has the same meaning as in resolver.
	generators bool
	dots       []string
	sites      int
	generics   map[string]*genericSource
}

// methodChange is a method that a cell declares.
type methodChange struct {
	typ, name string
	method    *method
}

// Variable is a variable that a cell declares.
type Variable struct {
	// Name is the name that cells use, Engine the name in hoisted files.
	Name, Engine string
	// The variable is set once the progress counter reaches Step.
	Step int
	// Obj is the variable in hoisted files.
	Obj *types.Var
	// before is what the name meant before this cell; nil if it had no meaning.
	before *Symbol
}

// collect records what the hoisted file declares and refers to.
func (h *hoister) collect(done typedFile) {
	ch := h.change
	ch.cell, ch.users = h.c.Number, map[string][]string{}
	funcs := map[string]*Symbol{}
	for _, f := range h.funcs {
		funcs[f.engine] = f.sym
	}
	users := map[string]string{}
	for from, to := range h.renamed {
		users[to] = from
	}
	for _, v := range h.vars {
		if v.last != "" {
			users[v.engine] = v.name
		}
	}
	moved, added := map[string]bool{}, map[string]bool{}
	for d := range h.redeclared.moved {
		moved[d.Name.Name] = true
	}
	for _, m := range h.redeclared.added {
		added[m.decl.Name.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(done.objects)) {
		obj := done.objects[name]
		if name == h.entry || added[name] {
			continue
		}
		ch.objects = append(ch.objects, obj)
		user, ok := users[name]
		if !ok || h.reused(name) || moved[name] {
			continue
		}
		sym := funcs[name]
		if sym == nil {
			sym = &Symbol{Name: user, Cell: h.c.Number}
		}
		sym.Obj, sym.text = obj, h.texts[name]
		ch.symbols = append(ch.symbols, sym)
	}
	for _, sym := range ch.symbols {
		if !h.s.stays(sym) {
			ch.Notes = append(ch.Notes, sym.Name+" means what it always does again from the next cell on")
		}
	}
	for _, v := range h.vars {
		obj, ok := done.objects[v.engine].(*types.Var)
		if !ok {
			obj, _ = h.s.objects[v.engine].(*types.Var)
		}
		ch.Vars = append(ch.Vars,
			Variable{Name: v.name, Engine: v.engine, Step: v.step, Obj: obj, before: h.s.visible[v.name]})
	}
	if h.renamed["main"] != "" {
		ch.program = h.c.Source
	}
	h.references(done.info)
	ch.aliases, ch.dots, ch.generators = h.aliases(), h.r.dots, h.r.generators
}

// aliases returns the renamed imports that persist. An import under the name of another package, such as strings
// imported as fmt, applies only to its own cell.
func (h *hoister) aliases() map[string]string {
	out := maps.Clone(h.s.aliases)
	for _, spec := range h.c.Imports {
		if spec.Name == nil || spec.Name.Name == "." || spec.Name.Name == "_" {
			continue
		}
		name, path := spec.Name.Name, strings.Trim(spec.Path.Value, "\"`")
		means, taken := stdlib.ByName(name)
		if !taken {
			out[name] = path
		} else if means != path && stdlib.Name(path) != name {
			h.change.Notes = append(h.change.Notes, name+" means the package "+means+" again from the next cell on")
		}
	}
	return out
}

// references records which functions use which objects, which addresses are taken, and which variables the cell
// mentions.
func (h *hoister) references(info *types.Info) {
	mentioned := map[string]bool{}
	for _, d := range h.file.Decls {
		user := ""
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name != h.entry {
			user = fd.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if name := h.base(info, n.X); n.Op == token.AND && name != "" {
					h.change.address = append(h.change.address, name)
				}
			case *ast.SliceExpr:
				if _, ok := info.TypeOf(n.X).Underlying().(*types.Array); ok {
					if name := h.base(info, n.X); name != "" {
						h.change.address = append(h.change.address, name)
					}
				}
			case *ast.Ident:
				obj := info.Uses[n]
				if !packageLevel(obj) {
					break
				}
				mentioned[obj.Name()] = true
				if user != "" && !slices.Contains(h.change.users[obj.Name()], user) {
					h.change.users[obj.Name()] = append(h.change.users[obj.Name()], user)
				}
			}
			return true
		})
	}
	h.change.Mentioned = slices.Sorted(maps.Keys(mentioned))
}

// packageLevel reports whether an object is declared by the session at package level.
func packageLevel(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "main" && obj.Parent() != nil &&
		obj.Parent().Parent() == types.Universe
}

// base returns the session variable behind an expression x, x.f or x[i] whose address is taken; empty if there is
// none.
func (h *hoister) base(info *types.Info, e ast.Expr) string {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if sel := info.Selections[x]; sel == nil || sel.Indirect() {
				return ""
			}
			e = x.X
		case *ast.IndexExpr:
			if _, ok := info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return ""
			}
			e = x.X
		case *ast.Ident:
			if v, ok := info.Uses[x].(*types.Var); ok && packageLevel(v) {
				return v.Name()
			}
			return ""
		default:
			return ""
		}
	}
}

// Commit applies a change to the session: the engine has loaded the unit.
func (s *Session) Commit(ch *Change) {
	if ch.world != nil {
		s.pkg = ch.pkg
	}
	for name, obj := range ch.world {
		s.objects[name] = obj
		if sym := s.symbols[name]; sym != nil {
			sym.Obj = obj
		}
	}
	for _, obj := range ch.objects {
		s.objects[obj.Name()] = obj
	}
	for _, sym := range ch.symbols {
		s.symbols[sym.Obj.Name()] = sym
		delete(s.lost, sym.Name)
		if _, ok := sym.Obj.(*types.TypeName); ok {
			s.types[sym.Name] = append(s.types[sym.Name], sym)
		}
		if s.stays(sym) {
			s.visible[sym.Name] = sym
		}
	}
	for _, v := range ch.Vars {
		if sym := s.symbols[v.Engine]; sym != nil && s.stays(sym) {
			sym.Cell = ch.cell
			s.visible[v.Name] = sym
		}
	}
	for _, m := range ch.methods {
		if sym := s.symbols[m.typ]; sym != nil {
			if sym.methods == nil {
				sym.methods = map[string]*method{}
			}
			sym.methods[m.name] = m.method
		}
	}
	for name, users := range ch.users {
		if sym := s.symbols[name]; sym != nil {
			if sym.users == nil {
				sym.users = map[string]bool{}
			}
			for _, user := range users {
				sym.users[user] = true
				if f := s.symbols[user]; f != nil {
					f.uses = append(f.uses, name)
				}
			}
		}
	}
	maps.Copy(s.generics, ch.generics)
	if ch.program != "" {
		s.programs[ch.cell] = ch.program
	}
	for _, name := range ch.address {
		if sym := s.symbols[name]; sym != nil {
			sym.address = true
		}
	}
	s.aliases, s.dots, s.generators, s.sites = ch.aliases, ch.dots, ch.generators, ch.sites
}

// stays reports whether a name keeps its meaning after the cell. Names of builtins, of the context and of the
// language do not: they get their own meaning back. Only a variable may share its name with a builtin function,
// because a call still means the function.
func (s *Session) stays(sym *Symbol) bool {
	if sym.Cell == 0 {
		return true
	}
	if sym.Name == "context" {
		return false
	}
	_, isVar := sym.Obj.(*types.Var)
	callable := false
	if isVar {
		_, callable = sym.Obj.Type().Underlying().(*types.Signature)
	}
	if nat := s.hostObjects[sym.Name]; nat != nil {
		if _, isType := nat.obj.(*types.TypeName); isType {
			return true
		}
		_, isFunc := nat.obj.(*types.Func)
		return isVar && (!isFunc || !callable)
	}
	if old := s.prelude[sym.Name]; old != nil && !old.Var() {
		return false
	}
	switch types.Universe.Lookup(sym.Name).(type) {
	case nil:
		return true
	case *types.Builtin:
		return isVar && !callable
	}
	return false
}

// Retract undoes the declarations that a cell did not reach because it ended after step.
func (s *Session) Retract(ch *Change, step int) {
	for _, v := range ch.Vars {
		if v.Step <= step && v.Step >= 0 {
			continue
		}
		if sym := s.visible[v.Name]; sym == nil || sym.Obj.Name() != v.Engine ||
			v.before != nil && v.before.Obj.Name() == v.Engine {
			continue
		}
		if v.before != nil {
			s.visible[v.Name] = s.symbols[v.before.Obj.Name()]
		} else {
			delete(s.visible, v.Name)
			s.lost[v.Name] = ch.cell
		}
	}
}

// KeepPrelude marks everything that is visible now as the host's. signals names those of the functions that do not
// return.
func (s *Session) KeepPrelude(signals []string) {
	s.prelude, s.signals = maps.Clone(s.visible), signals
}

// Lookup returns the symbol that a name means to a cell; nil if there is none.
func (s *Session) Lookup(name string) *Symbol { return s.visible[name] }

// Variables returns the session's variables, in order of name.
func (s *Session) Variables() []*Symbol {
	var out []*Symbol
	for _, name := range slices.Sorted(maps.Keys(s.visible)) {
		if sym := s.visible[name]; sym.Var() {
			out = append(out, sym)
		}
	}
	return out
}

// Position returns the position in the cell of a position in a unit.
func (s *Session) Position(pos token.Pos) token.Position { return s.fset.Position(pos) }

// Reach returns the variables that a cell can reach from the names it mentions, directly or through the functions
// that it calls.
func (s *Session) Reach(ch *Change) []*Symbol {
	var out []*Symbol
	reached := map[string]bool{}
	queue := slices.Clone(ch.Mentioned)
	for _, v := range ch.Vars {
		queue = append(queue, v.Engine)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		sym := s.symbols[queue[0]]
		if reached[queue[0]] || sym == nil {
			continue
		}
		reached[queue[0]] = true
		queue = append(queue, sym.uses...)
		if sym.Var() && s.visible[sym.Name] == sym {
			out = append(out, sym)
		}
	}
	slices.SortFunc(out, func(a, b *Symbol) int { return strings.Compare(a.Name, b.Name) })
	return out
}
