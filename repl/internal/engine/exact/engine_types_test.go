package exact

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// typeWalk visits all types of expressions that begin with an exported object of a package: through parameters
// and results, fields, methods and elements, at any depth, as far as the gate lets cells go.
type typeWalk struct {
	t       *testing.T
	e       *Engine
	seen    map[types.Type]bool
	allowed int
	refused map[string]bool
}

func (o *typeWalk) look(t types.Type, from string) {
	t = types.Unalias(t)
	if o.seen[t] {
		return
	}
	o.seen[t] = true
	if why := check.Refused(t); why != "" {
		o.refused[why] = true
		return
	}
	o.allowed++
	if parameterised(t) {
		o.parts(t, from)
		return
	}
	if _, tuple := t.(*types.Tuple); !tuple {
		rt := o.e.types.Reflect(t)
		require.False(o.t, reachesMemory(rt, map[reflect.Type]bool{}), "%s: %s", from, rt)
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
			require.Nil(o.t, o.e.types.GoType(o.e.types.Of(t)), "%s: the type %s is made up", from, t)
			name, _, _ := strings.Cut(rt.Name(), "[")
			require.Equal(o.t, n.Obj().Name(), name, from)
			o.members(n, rt, from)
		}
	}
	o.parts(t, from)
}

// members compares the methods and fields of a type in the type checker with those of its run-time type.
func (o *typeWalk) members(n *types.Named, rt reflect.Type, from string) {
	recv, methods := types.Type(types.NewPointer(n)), reflect.PointerTo(rt)
	if types.IsInterface(n) {
		recv, methods = n, rt
	}
	for sel := range types.NewMethodSet(recv).Methods() {
		if !sel.Obj().Exported() {
			continue
		}
		m, ok := methods.MethodByName(sel.Obj().Name())
		require.True(o.t, ok, "%s: %s.%s", from, n, sel.Obj().Name())
		if check.Refused(sel.Type()) == "" {
			in := m.Type.NumIn() - 1
			if types.IsInterface(n) {
				in++
			}
			sig := sel.Type().(*types.Signature)
			require.Equal(o.t, [2]int{sig.Params().Len(), sig.Results().Len()}, [2]int{in, m.Type.NumOut()},
				"%s: %s.%s", from, n, sel.Obj().Name())
		}
		o.look(sel.Type(), n.String()+"."+sel.Obj().Name())
	}
	if s, ok := n.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() {
				o.look(f.Type(), n.String()+"."+f.Name())
			}
		}
		return
	}
	o.look(n.Underlying(), n.String())
}

func (o *typeWalk) parts(t types.Type, from string) {
	switch t := t.(type) {
	case *types.Named:
		for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
			if m.Obj().Exported() {
				o.look(m.Type(), from)
			}
		}
	case *types.Map:
		o.look(t.Key(), from)
		o.look(t.Elem(), from)
	case *types.Signature:
		o.look(t.Params(), from)
		o.look(t.Results(), from)
	case *types.Tuple:
		for v := range t.Variables() {
			o.look(v.Type(), from)
		}
	case *types.Interface:
		for m := range t.Methods() {
			o.look(m.Type(), from)
		}
	case *types.TypeParam:
	case interface{ Elem() types.Type }:
		o.look(t.Elem(), from)
	}
}

// parameterised reports whether a type contains type parameters, so that it has no run-time type.
func parameterised(t types.Type) bool {
	found, seen := false, map[types.Type]bool{}
	var look func(t types.Type)
	look = func(t types.Type) {
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.TypeParam:
			found = true
		case *types.Named:
			found = found || t.TypeParams().Len() > 0 && t.TypeArgs().Len() == 0
			if i, ok := t.Underlying().(*types.Interface); ok {
				found = found || !i.IsMethodSet() // a constraint has no run-time type either
			}
			for arg := range t.TypeArgs().Types() {
				look(arg)
			}
		case *types.Map:
			look(t.Key())
			look(t.Elem())
		case *types.Signature:
			found = found || t.TypeParams().Len() > 0
			look(t.Params())
			look(t.Results())
		case *types.Tuple:
			for v := range t.Variables() {
				look(v.Type())
			}
		case *types.Interface:
			for m := range t.Methods() {
				look(m.Type())
			}
		case interface{ Elem() types.Type }:
			look(t.Elem())
		}
	}
	look(t)
	return found
}

// reachesMemory reports whether a value of a type is, contains, takes or returns a value of package reflect or
// unsafe that does more than describe a type.
func reachesMemory(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || t == reflect.TypeFor[reflect.Type]() || t == reflect.TypeFor[reflect.Kind]() {
		return false
	}
	seen[t] = true
	if t.PkgPath() == "reflect" || t.PkgPath() == "unsafe" || t.Kind() == reflect.UnsafePointer {
		return true
	}
	if t.Name() != "" && t.PkgPath() != "" {
		return false
	}
	switch t.Kind() {
	case reflect.Map:
		return reachesMemory(t.Key(), seen) || reachesMemory(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return reachesMemory(t.Elem(), seen)
	case reflect.Func:
		for in := range t.Ins() {
			if reachesMemory(in, seen) {
				return true
			}
		}
		for out := range t.Outs() {
			if reachesMemory(out, seen) {
				return true
			}
		}
	case reflect.Interface:
		for m := range t.Methods() {
			if reachesMemory(m.Type, seen) {
				return true
			}
		}
	}
	return false
}

// No operand that the gate allows reaches memory, whatever package it comes from. For types of packages the engine
// uses those of its own program, and makes no new ones.
func TestTypesOfPackages(t *testing.T) {
	im, err := stdlib.NewImporter()
	require.NoError(t, err)
	made, err := New(engine.Host{Stdout: &enginetest.Output{}})
	require.NoError(t, err)
	o := &typeWalk{t: t, e: made, seen: map[types.Type]bool{}, refused: map[string]bool{}}
	for _, path := range stdlib.Packages {
		pkg, err := im.Import(path)
		require.NoError(t, err)
		for _, name := range pkg.Scope().Names() {
			if token.IsExported(name) {
				o.look(pkg.Scope().Lookup(name).Type(), path+"."+name)
			}
		}
	}
	// the methods of reflect.Type, which cells may call if the gate allows it
	errs, err := im.Import("encoding/json")
	require.NoError(t, err)
	described := errs.Scope().Lookup("UnsupportedTypeError").Type().Underlying().(*types.Struct).Field(0).Type()
	for m := range types.NewMethodSet(described).Methods() {
		if m.Obj().Exported() {
			o.look(m.Type(), "reflect.Type."+m.Obj().Name())
		}
	}
	require.Greater(t, o.allowed, 1500)
	want := map[string]bool{}
	for _, name := range []string{
		"reflect.Value", "reflect.StructField", "reflect.Method", "reflect.ChanDir", "unsafe.Pointer",
	} {
		want["cells cannot use "+name] = true
	}
	require.Equal(t, want, o.refused)
	t.Logf("%d types of operands may be used, none of them reaches memory", o.allowed)
}

// A type that a cell declares from a package's struct type has all its fields, even if only the package can name
// their types.
func TestTypesMadeOfThoseOfPackages(t *testing.T) {
	session(t, [2]string{
		`type stamp time.Time
type lock sync.Mutex
type pool sync.Pool
type unsupported json.UnsupportedValueError
type decoder xml.Decoder
type word atomic.Int64
type shared sync.Map
type builder struct{ strings.Builder; n int }
s := stamp(time.Unix(5, 0).UTC())
fmt.Println(time.Time(s).Unix())
var l lock
(*sync.Mutex)(&l).Lock()
fmt.Println((*sync.Mutex)(&l).TryLock())
p := &pool{New: func() any { return 7 }}
fmt.Println((*sync.Pool)(p).Get(), p.New())
_, err := json.Marshal(math.Inf(1))
var e *json.UnsupportedValueError
errors.As(err, &e)
u := unsupported(*e)
same := json.UnsupportedValueError(u)
fmt.Println(u.Str, (&same).Error(), same == *e, u == unsupported(same))
fmt.Printf("%v %+v %T\n", u, u, u)
d := (*decoder)(xml.NewDecoder(strings.NewReader("<a>b</a>")))
d.Strict = false
tok, _ := (*xml.Decoder)(d).Token()
fmt.Println(tok, d.Strict, d.Entity)
var w word
(*atomic.Int64)(&w).Add(3)
fmt.Println((*atomic.Int64)(&w).Load())
var m shared
(*sync.Map)(&m).Store("k", 1)
fmt.Println((*sync.Map)(&m).Load("k"))
b := &builder{n: 1}
b.WriteString("text")
fmt.Println(b.String(), b.Len(), b.n)
fmt.Printf("%T %v\n", unicode.CaseRanges[0].Delta, unicode.CaseRanges[0].Delta)
func() { x := binary.LittleEndian; fmt.Printf("%T %v\n", x, x.Uint16([]byte{1, 2})) }()`,
		"5\nfalse\n7 7\n+Inf json: unsupported value: +Inf true true\n{<float64 Value> +Inf} {Value:<float64 Value> Str:+Inf} main.unsupported\n" +
			"{{ a} []} false map[]\n3\n1 true\ntext 4 1\nunicode.d [0 32 0]\nbinary.littleEndian 513\n",
	})
}
