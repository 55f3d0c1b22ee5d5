package exact

import (
	"reflect"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// renewal updates values in interfaces to the latest versions of their types, after types have gained methods. It
// walks everything that package-level variables refer to. Only an interface's type word changes, because all
// versions of a type have the same layout.
//
// It does not see values that wait in channels, and looks into only a few struct types of packages.
type renewal struct {
	e       *Engine
	newest  *rtype.TypeVersions
	leads   map[reflect.Type]bool
	seen    map[memoryRange]bool
	todo    []memoryRange
	changed int
}

// memoryRange is a value in memory or, if n is not 0, the n elements of a slice.
type memoryRange struct {
	at  mem.Ptr
	typ reflect.Type
	n   int
}

// renew updates all values. If goroutines are running, it updates none, because they may be using them.
func (e *Engine) renew() {
	r := &renewal{e: e, newest: e.types.Newest(), leads: map[reflect.Type]bool{}, seen: map[memoryRange]bool{}}
	walk := e.runningCount() == 0 && r.newest.Any()
	for name, v := range e.vars {
		t := v.typ.Reflect()
		v.typ = mem.TypeOf(r.newest.Of(t))
		e.vars[name] = v
		if walk {
			r.later(memoryRange{v.at, t, -1})
		}
	}
	for len(r.todo) > 0 {
		p := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.value(p.at, p.typ, max(p.n, 1))
	}
}

// later queues a value, once.
func (r *renewal) later(p memoryRange) {
	if !p.at.Nil() && !r.seen[p] && r.leadsOn(p.typ) {
		r.seen[p] = true
		r.todo = append(r.todo, p)
	}
}

// value visits n adjacent values.
func (r *renewal) value(p mem.Ptr, t reflect.Type, n int) {
	if !r.leadsOn(t) {
		return
	}
	for i := range n {
		r.one(p.Add(uintptr(i)*t.Size()), t)
	}
}

func (r *renewal) one(p mem.Ptr, t reflect.Type) {
	switch t.Kind() {
	case reflect.Interface:
		r.iface(mem.As[mem.Words](p), t)
	case reflect.Pointer:
		r.later(memoryRange{*mem.As[mem.Ptr](p), t.Elem(), -1})
	case reflect.Slice:
		if s := mem.As[mem.Slice](p); s.Len > 0 {
			r.later(memoryRange{s.Data, t.Elem(), s.Len})
		}
	case reflect.Array:
		r.value(p, t.Elem(), t.Len())
	case reflect.Struct:
		if t == reflect.TypeFor[sync.Map]() {
			r.shared(mem.As[sync.Map](p))
			return
		}
		if elem := rtype.AtomicElem(t); elem != nil {
			r.later(memoryRange{mem.As[mem.Atomic](p).Load(), elem, -1})
			return
		}
		for f := range t.Fields() {
			r.value(p.Add(f.Offset), f.Type, 1)
		}
	case reflect.Map:
		if m := *mem.As[mem.Ptr](p); !m.Nil() && !r.seen[memoryRange{m, t, 0}] {
			r.seen[memoryRange{m, t, 0}] = true
			r.entries(m, mem.TypeOf(t), mem.Value(t, p))
		}
	case reflect.Func:
		if f := *mem.As[mem.Ptr](p); !f.Nil() && !r.seen[memoryRange{f, t, 0}] {
			r.seen[memoryRange{f, t, 0}] = true
			r.captured(closureOf(f))
		}
	}
}

// iface updates an interface to the latest version of its dynamic type.
func (r *renewal) iface(w *mem.Words, t reflect.Type) {
	empty := t.NumMethod() == 0
	held := dynamic(*w, empty)
	if held == nil {
		return
	}
	old := held.Reflect()
	if last := r.newest.Of(old); last != old {
		tab := mem.Of(mem.TypeOf(last))
		if !empty {
			tab = mem.Of(mem.ItabOf(mem.TypeOf(r.newest.Of(t)), mem.TypeOf(last)))
		}
		if !tab.Nil() {
			w.Tab = tab
			r.changed++
		}
	}
	if held.Direct() {
		r.value(mem.Of(&w.Data), old, 1)
	} else {
		r.value(w.Data, old, 1)
	}
}

// entries visits the elements of a map, and moves an element to its new key if the key has changed.
func (r *renewal) entries(m mem.Ptr, t *mem.Type, v reflect.Value) {
	type entry struct{ from, to mem.Ptr }
	var moved []entry
	key, elem := v.Type().Key(), v.Type().Elem()
	for it := v.MapRange(); it.Next(); {
		old := reflect.New(key)
		old.Elem().Set(it.Key())
		if r.leadsOn(elem) {
			if p := mem.MapGet(t, m, mem.In(old)); !p.Nil() { // nil for NaN
				r.value(p, elem, 1)
			}
		}
		if !r.leadsOn(key) {
			continue
		}
		now := reflect.New(key)
		now.Elem().Set(it.Key())
		before := r.changed
		if r.value(mem.In(now), key, 1); r.changed > before {
			moved = append(moved, entry{mem.In(old), mem.In(now)})
		}
	}
	for _, e := range moved {
		if p := mem.MapGet(t, m, e.from); !p.Nil() {
			held := reflect.New(elem)
			held.Elem().Set(mem.Value(elem, p))
			mem.MapDelete(t, m, e.from)
			mem.Move(mem.TypeOf(elem), mem.MapSet(t, m, e.to), mem.In(held))
		}
	}
}

// shared does for a sync.Map the same as entries does for a map.
func (r *renewal) shared(m *sync.Map) {
	m.Range(func(key, value any) bool {
		was, before := key, r.changed
		for _, v := range []*any{&key, &value} {
			r.iface(mem.View[mem.Words](v), reflect.TypeFor[any]())
		}
		if r.changed > before {
			m.Delete(was)
			m.Store(key, value)
		}
		return true
	})
}

// captured visits the captured values of a closure; cl is nil for a compiled function.
func (r *renewal) captured(cl *closure) {
	if cl == nil {
		return
	}
	if v := cl.code.env; v != nil {
		for i, t := range v.types {
			r.value(mem.Of(cl).Add(v.offs[i]), r.e.types.Reflect(t), 1)
		}
	}
}

// leadsOn reports whether values of a type may refer to an interface.
func (r *renewal) leadsOn(t reflect.Type) bool {
	if known, ok := r.leads[t]; ok {
		return known
	}
	passed := map[reflect.Type]bool{}
	out := r.search(t, passed)
	if r.leads[t] = out; !out { // then its parts do not either
		for p := range passed {
			r.leads[p] = false
		}
	}
	return out
}

func (r *renewal) search(t reflect.Type, passed map[reflect.Type]bool) bool {
	if passed[t] {
		return false
	}
	passed[t] = true
	if known, ok := r.leads[t]; ok {
		return known
	}
	switch t.Kind() {
	case reflect.Interface, reflect.Func:
		return true
	case reflect.Struct:
		if !walked(t) {
			return false
		}
		if t == reflect.TypeFor[sync.Map]() {
			return true
		}
		if elem := rtype.AtomicElem(t); elem != nil {
			return r.search(elem, passed)
		}
		for f := range t.Fields() {
			if r.search(f.Type, passed) {
				return true
			}
		}
	case reflect.Map:
		return r.search(t.Key(), passed) || r.search(t.Elem(), passed)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return r.search(t.Elem(), passed)
	}
	return false
}

// walked reports whether renewal looks into a struct type. It does not look into most types of packages, which may
// use their values on their own goroutines.
func walked(t reflect.Type) bool {
	switch t.PkgPath() {
	case "", "main", "container/list", "container/ring", "errors", "fmt", "sync/atomic":
		return true
	}
	return t == reflect.TypeFor[sync.Map]()
}
