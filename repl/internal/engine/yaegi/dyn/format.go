package dyn

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Format prints the value as package fmt prints a value of its Go type. It follows fmt's own printValue step by step.
func (b Box) Format(s fmt.State, verb rune) {
	p := &printer{r: b.r, s: s, self: any(b)}
	if b.T.isError {
		p.self = ErrorBox{b}
	}
	p.plusV = verb == 'v' && s.Flag('+')
	p.sharpV = verb == 'v' && s.Flag('#')
	if verb == 'T' {
		p.write(b.T.Name)
		return
	}
	v := b.r.canonical(b.T.Go, reflect.ValueOf(b.V))
	if p.methods(b.T.Go, v, verb, p.self) {
		return
	}
	p.value(b.T.Go, v, verb, 0, true)
}

type printer struct {
	r             *Runtime
	s             fmt.State
	self          any
	plusV, sharpV bool
	erroring      bool // a value with a wrong verb is being shown: methods do not count
}

func (p *printer) write(s string) { _, _ = io.WriteString(p.s, s) }

// leafFormat is the directive for one plain value, with the flags that fmt would still have there.
func (p *printer) leafFormat(verb rune) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, flag := range " -0" {
		if p.s.Flag(int(flag)) {
			b.WriteRune(flag)
		}
	}
	if p.s.Flag('#') && (verb != 'v' || p.sharpV) {
		b.WriteByte('#')
	}
	if p.s.Flag('+') && !p.plusV {
		b.WriteByte('+')
	}
	if w, ok := p.s.Width(); ok {
		b.WriteString(strconv.Itoa(w))
	}
	if n, ok := p.s.Precision(); ok {
		b.WriteString("." + strconv.Itoa(n))
	}
	b.WriteRune(verb)
	return b.String()
}

func (p *printer) leaf(v any, verb rune) { fmt.Fprintf(p.s, p.leafFormat(verb), v) }

// methods prints through Format, GoString, Error or String if the type has them. self is the value in an interface.
func (p *printer) methods(t types.Type, v reflect.Value, verb rune, self any) (handled bool) {
	r := p.r
	typ := r.lookup(t)
	if p.erroring || len(typ.methods) == 0 {
		return false
	}
	if m, ok := r.hasMethod(typ, "Format", "func(fmt.State, int32)"); ok {
		handled = true
		defer p.catch(v, verb, "Format")
		m.Call([]reflect.Value{anyValue(self), reflect.ValueOf(&p.s).Elem(), reflect.ValueOf(verb)})
		return true
	}
	if p.sharpV {
		if m, ok := r.hasMethod(typ, "GoString", "func() string"); ok {
			handled = true
			defer p.catch(v, verb, "GoString")
			p.write(m.Call([]reflect.Value{anyValue(self)})[0].String())
			return true
		}
		return false
	}
	if !strings.ContainsRune("vsxXq", verb) {
		return false
	}
	for _, name := range []string{"Error", "String"} {
		if m, ok := r.hasMethod(typ, name, "func() string"); ok {
			handled = true
			defer p.catch(v, verb, name)
			p.leaf(m.Call([]reflect.Value{anyValue(self)})[0].String(), verb)
			return true
		}
	}
	return false
}

func (r *Runtime) hasMethod(t *Type, name, signature string) (reflect.Value, bool) {
	m, ok := r.method(t, name)
	if !ok {
		return m, false
	}
	obj, _, _ := types.LookupFieldOrMethod(t.Go, false, nil, name)
	f, isFunc := obj.(*types.Func)
	if !isFunc || TypeName(f.Signature()) != signature {
		return m, false
	}
	return m, true
}

// catch is fmt's own: a method that panics is shown in the text.
func (p *printer) catch(v reflect.Value, verb rune, method string) {
	err := recover()
	if err == nil {
		return
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		p.write("<nil>")
		return
	}
	c := p.r.Translate(err)
	if c == nil {
		panic(err)
	}
	p.write("%!" + string(verb) + "(PANIC=" + method + " method: ")
	fmt.Fprint(p.s, c.Value)
	p.write(")")
}

// value prints v, a value of type t; visible tells whether it was reached through exported fields alone.
func (p *printer) value(t types.Type, v reflect.Value, verb rune, depth int, visible bool) {
	if depth > 0 && v.IsValid() {
		if visible && !p.erroring && p.nested(t, v, verb) {
			return
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && !visible && !IsUser(n) && isStruct(n) && v.CanInterface() {
			p.hidden(v, verb)
			return
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		p.basic(t, u, v, verb)
	case *types.Map:
		p.mapValue(t, u, v, verb, depth, visible)
	case *types.Struct:
		p.structValue(t, u, v, verb, depth, visible)
	case *types.Interface:
		p.interfaceValue(t, v, verb, depth, visible)
	case *types.Slice:
		p.list(t, u.Elem(), v, verb, depth, visible)
	case *types.Array:
		p.list(t, u.Elem(), v, verb, depth, visible)
	case *types.Pointer:
		if depth == 0 && !v.IsNil() {
			switch u.Elem().Underlying().(type) {
			case *types.Array, *types.Slice, *types.Struct, *types.Map:
				p.write("&")
				p.value(u.Elem(), v.Elem(), verb, depth+1, visible)
				return
			}
		}
		p.pointer(t, v, verb)
	default:
		p.pointer(t, v, verb)
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// nested prints a part of a value that has methods of its own, or is compiled.
func (p *printer) nested(t types.Type, v reflect.Value, verb rune) bool {
	if types.IsInterface(t) {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && !IsUser(n) && p.r.isFaithful(t) && hasPrinter(v, p.sharpV, verb) {
		p.leafPart(v, verb)
		return true
	}
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok && p.r.isFaithful(ptr) && hasPrinter(v, p.sharpV, verb) {
		p.leafPart(v, verb)
		return true
	}
	if !v.CanInterface() || p.r.isFaithful(t) {
		return false
	}
	cv := p.r.canonical(t, v)
	return p.methods(t, cv, verb, p.r.Box(p.r.lookup(t).ID, cv.Interface()))
}

// leafPart prints a compiled value with its own methods.
func (p *printer) leafPart(v reflect.Value, verb rune) {
	format := p.leafFormat(verb)
	if p.plusV {
		format = "%+" + format[1:]
	}
	fmt.Fprintf(p.s, format, v.Interface())
}

func hasPrinter(v reflect.Value, sharp bool, verb rune) bool {
	if !v.CanInterface() {
		return false
	}
	x := v.Interface()
	if _, ok := x.(fmt.Formatter); ok {
		return true
	}
	if sharp {
		_, ok := x.(fmt.GoStringer)
		return ok
	}
	if !strings.ContainsRune("vsxXq", verb) {
		return false
	}
	switch x.(type) {
	case error, fmt.Stringer:
		return true
	}
	return false
}

// leafVerbs are the verbs of plain values, and the one under which fmt shows them, with the flags that there
// are, where the verb is wrong.
var leafVerbs = []struct {
	info  types.BasicInfo
	verbs string
	wrong rune
}{
	{types.IsBoolean, "tv", 't'},
	{types.IsInteger, "vdboOxXcqU", 'd'},
	{types.IsFloat, "vbgGxXfFeE", 'g'},
	{types.IsComplex, "vbgGxXfFeE", 'g'},
	{types.IsString, "vsxXq", 's'},
}

func (p *printer) basic(t types.Type, u *types.Basic, v reflect.Value, verb rune) {
	for _, l := range leafVerbs {
		if u.Info()&l.info == 0 {
			continue
		}
		plain := v.Convert(basics[u.Kind()]).Interface()
		if !strings.ContainsRune(l.verbs, verb) {
			p.write("%!" + string(verb) + "(" + TypeName(t) + "=")
			p.leaf(plain, l.wrong)
			p.write(")")
			return
		}
		p.leaf(plain, verb)
		return
	}
	p.leaf(v.Interface(), verb)
}

func (p *printer) structValue(t types.Type, u *types.Struct, v reflect.Value, verb rune, depth int, visible bool) {
	if p.sharpV {
		p.write(TypeName(t))
	}
	p.write("{")
	for i := range u.NumFields() {
		if i > 0 {
			p.write(p.separator())
		}
		f := u.Field(i)
		if p.plusV || p.sharpV {
			p.write(f.Name() + ":")
		}
		ft, fv := f.Type(), v.Field(i)
		ok := visible && f.Exported()
		if types.IsInterface(ft) && !fv.IsNil() {
			p.held(fv, verb, depth+1, ok)
			continue
		}
		p.value(ft, fv, verb, depth+1, ok)
	}
	p.write("}")
}

func (p *printer) separator() string {
	if p.sharpV {
		return ", "
	}
	return " "
}

// held prints what an interface holds, as a part of a value.
func (p *printer) held(v reflect.Value, verb rune, depth int, visible bool) {
	x := v.Elem()
	if !v.CanInterface() {
		p.leaf(x, verb)
		return
	}
	val, t := unbox(p.r.Any(v.Interface()))
	if t != nil {
		p.value(t.Go, p.r.canonical(t.Go, reflect.ValueOf(val)), verb, depth, visible)
		return
	}
	rv := reflect.ValueOf(val)
	if !visible || rv.Kind() == reflect.Pointer && !hasPrinter(rv, p.sharpV, verb) {
		p.hidden(rv, verb)
		return
	}
	p.leafPart(rv, verb)
}

// hidden prints a compiled value as part of another, where its methods do not count or pointers are not followed.
func (p *printer) hidden(v reflect.Value, verb rune) {
	type part struct{ x any }
	text := fmt.Sprintf(p.partFormat(verb), part{v.Interface()})
	if p.sharpV {
		text = strings.TrimPrefix(text, "dyn.part{x:")
	} else {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "{x:"), "{")
	}
	p.write(strings.TrimSuffix(text, "}"))
}

func (p *printer) partFormat(verb rune) string {
	format := p.leafFormat(verb)
	if p.plusV {
		format = "%+" + format[1:]
	}
	return format
}

func (p *printer) interfaceValue(t types.Type, v reflect.Value, verb rune, depth int, visible bool) {
	if v.IsNil() {
		if p.sharpV {
			p.write(TypeName(t) + "(nil)")
			return
		}
		p.write("<nil>")
		return
	}
	p.held(v, verb, depth+1, visible)
}

func (p *printer) list(t, elem types.Type, v reflect.Value, verb rune, depth int, visible bool) {
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && strings.ContainsRune("sqxX", verb) {
		bytes := make([]byte, v.Len())
		for i := range bytes {
			bytes[i] = byte(v.Index(i).Uint())
		}
		p.leaf(bytes, verb)
		return
	}
	_, isSlice := t.Underlying().(*types.Slice)
	if p.sharpV {
		p.write(TypeName(t))
		if isSlice && v.IsNil() {
			p.write("(nil)")
			return
		}
		p.write("{")
	} else {
		p.write("[")
	}
	for i := range v.Len() {
		if i > 0 {
			p.write(p.separator())
		}
		p.value(elem, v.Index(i), verb, depth+1, visible)
	}
	if p.sharpV {
		p.write("}")
	} else {
		p.write("]")
	}
}

func (p *printer) mapValue(t types.Type, u *types.Map, v reflect.Value, verb rune, depth int, visible bool) {
	if p.sharpV {
		p.write(TypeName(t))
		if v.IsNil() {
			p.write("(nil)")
			return
		}
		p.write("{")
	} else {
		p.write("map[")
	}
	for i, k := range sortedKeys(v) {
		if i > 0 {
			p.write(p.separator())
		}
		p.value(u.Key(), k, verb, depth+1, visible)
		p.write(":")
		p.value(u.Elem(), v.MapIndex(k), verb, depth+1, visible)
	}
	if p.sharpV {
		p.write("}")
	} else {
		p.write("]")
	}
}

// pointer prints an address.
func (p *printer) pointer(t types.Type, v reflect.Value, verb rune) {
	u := uint64(v.Pointer())
	switch verb {
	case 'v':
		switch {
		case p.sharpV:
			p.write("(" + TypeName(t) + ")(")
			if u == 0 {
				p.write("nil")
			} else {
				fmt.Fprintf(p.s, "%#x", u)
			}
			p.write(")")
		case u == 0:
			fmt.Fprintf(p.s, p.leafFormat('s'), "<nil>")
		default:
			fmt.Fprintf(p.s, p.leafFormat('v'), v.UnsafePointer())
		}
	case 'p':
		fmt.Fprintf(p.s, p.leafFormat('p'), v.UnsafePointer())
	case 'b', 'o', 'd', 'x', 'X':
		p.leaf(u, verb)
	default:
		p.write("%!" + string(verb) + "(" + TypeName(t) + "=")
		p.erroring = true
		p.value(t, v, 'v', 0, true)
		p.erroring = false
		p.write(")")
	}
}
