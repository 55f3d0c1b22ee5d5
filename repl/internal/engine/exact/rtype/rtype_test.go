package rtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"testing"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/stretchr/testify/require"
)

const declarations = `package main

type Node struct {
	Name  string
	next  *Node
	Kids  []Node
	Named map[string]Node
	Fn    func(Node) *Node
}
type Tree []Tree
type MT map[string]MT
type State func(*int) State
type P *P
type Shape interface{ Area() float64; hidden(int) (string, error) }
type Sq struct{ Side float64 }
func (s Sq) Area() float64
func (s *Sq) hidden(n int) (string, error)
type Celsius float64
func (c Celsius) String() string
type Bad struct{ Code int }
func (b *Bad) Error() string
type Outer struct{ Sq; *Bad; N int ` + "`json:\"n,omitempty\"`" + ` }
type Pair[K comparable, V any] struct { Key K; Val V }
var pair Pair[string, []Node]
type Key struct { A string; B [2]int; C any }
type Cyc struct { N int; In map[string]Cyc; Arr [2]struct{ N int; M map[[2]string]Cyc } }
type Rows [2]struct{ N int; M map[string]Rows }
type List struct { Head *Elem }
type Elem struct { List *List; Val Key }
`

func build(t *testing.T) (*Builder, func(name string) types.Type) {
	require.NoError(t, Check())
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", declarations, 0)
	require.NoError(t, err)
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, nil)
	b := NewBuilder()
	b.Compiled = func(n *types.Named) reflect.Type {
		if n.Obj().Pkg() == nil && n.Obj().Name() == "error" {
			return reflect.TypeFor[error]()
		}
		return nil
	}
	b.Method = func(typ types.Type, sel *types.Selection, rt reflect.Type) reflect.Value {
		return reflect.MakeFunc(rt, func(args []reflect.Value) []reflect.Value {
			out := make([]reflect.Value, rt.NumOut())
			for i := range out {
				out[i] = reflect.Zero(rt.Out(i))
				if rt.Out(i).Kind() == reflect.String {
					out[i] = reflect.ValueOf(Name(typ) + "." + sel.Obj().Name() + " called")
				}
				if rt.Out(i).Kind() == reflect.Float64 {
					receiver := mem.In(args[0])
					out[i] = reflect.ValueOf(*mem.As[float64](receiver) * 2)
				}
			}
			return out
		})
	}
	return b, func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
}

func TestTypesAreTheCompilers(t *testing.T) {
	b, typ := build(t)
	node := b.Reflect(typ("Node"))
	require.Equal(t, "main.Node", node.String())
	require.Equal(t, "Node", node.Name())
	require.Equal(t, "main", node.PkgPath())
	require.Equal(t, node, node.Field(1).Type.Elem())
	require.Equal(t, node, node.Field(2).Type.Elem())
	require.Equal(t, node, node.Field(3).Type.Elem())
	require.Equal(t, "func(main.Node) *main.Node", node.Field(4).Type.String())
	require.EqualValues(t, 64, node.Size())

	v := reflect.New(node).Elem()
	v.Field(0).SetString("root")
	v.Field(3).Set(reflect.MakeMap(node.Field(3).Type))
	v.Field(3).SetMapIndex(reflect.ValueOf("a"), reflect.New(node).Elem())
	require.Equal(t, "{root <nil> [] map[a:{ <nil> [] map[] <nil>}] <nil>}", fmt.Sprint(v.Interface()))
	runtime.GC()
	require.Equal(t, "main.Node", fmt.Sprintf("%T", v.Interface()))

	require.Equal(t, "main.Tree", b.Reflect(typ("Tree")).Elem().String())
	require.Equal(t, b.Reflect(typ("MT")), b.Reflect(typ("MT")).Elem())
	mt := reflect.MakeMap(b.Reflect(typ("MT")))
	mt.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(mt.Type()))
	require.Equal(t, "map[x:map[]]", fmt.Sprint(mt.Interface()))
	require.Equal(t, b.Reflect(typ("State")), b.Reflect(typ("State")).Out(0))
	require.Equal(t, b.Reflect(typ("P")), b.Reflect(typ("P")).Elem())
	require.Equal(t, "main.Pair[string,[]main.Node]", b.Reflect(typ("pair")).String())
	require.Equal(t, "*main.Elem", b.Reflect(typ("List")).Field(0).Type.String())

	key := b.Reflect(typ("Key"))
	m := reflect.MakeMap(reflect.MapOf(key, reflect.TypeFor[int]()))
	for i := range 100 {
		k := reflect.New(key).Elem()
		k.Field(0).SetString(fmt.Sprint(i % 10))
		k.Field(2).Set(reflect.ValueOf(i % 5))
		m.SetMapIndex(k, reflect.ValueOf(i))
	}
	require.Equal(t, 10, m.Len())
}

// Maps of a recursive type keep their contents alive.
func TestRecursiveMapsAreSeenByTheCollector(t *testing.T) {
	b, typ := build(t)
	for _, name := range []string{"Cyc", "Rows", "Node"} {
		rt := b.Reflect(typ(name))
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[int](), rt))
		in := map[string]reflect.Type{
			"Cyc": reflect.TypeFor[string](), "Rows": reflect.TypeFor[string](),
			"Node": reflect.TypeFor[string](),
		}[name]
		for i := range 200 {
			v := reflect.New(rt).Elem()
			field := v
			switch name {
			case "Cyc":
				field = v.Field(1)
			case "Rows":
				field = v.Index(1).Field(1)
			case "Node":
				field = v.Field(3)
			}
			field.Set(reflect.MakeMap(field.Type()))
			field.SetMapIndex(reflect.ValueOf(fmt.Sprint(i)).Convert(in), reflect.New(rt).Elem())
			m.SetMapIndex(reflect.ValueOf(i), v)
			if i%50 == 0 {
				runtime.GC()
			}
		}
		runtime.GC()
		require.Equal(t, 200, m.Len())
		_ = fmt.Sprint(m.Interface())
	}
}

func TestMethodsAreCalledByCompiledCode(t *testing.T) {
	b, typ := build(t)
	c := reflect.New(b.Reflect(typ("Celsius"))).Elem()
	c.SetFloat(21)
	require.Equal(t, "main.Celsius.String called", fmt.Sprint(c.Interface()))
	require.Equal(t, "[main.Celsius.String called]",
		fmt.Sprint(reflect.Append(reflect.MakeSlice(reflect.SliceOf(c.Type()), 0, 1), c).Interface()))

	bad := reflect.New(b.Reflect(typ("Bad")))
	err, ok := bad.Interface().(error)
	require.True(t, ok)
	require.Equal(t, "*main.Bad.Error called", err.Error())
	wrapped := fmt.Errorf("more: %w", err)
	target := reflect.New(bad.Type())
	require.True(t, errors.As(wrapped, target.Interface()))
	require.Equal(t, bad.Pointer(), target.Elem().Pointer())

	outer := reflect.New(b.Reflect(typ("Outer"))).Elem()
	outer.Field(0).Field(0).SetFloat(4)
	data, merr := json.Marshal(outer.Interface())
	require.NoError(t, merr)
	require.JSONEq(t, `{"Side": 4}`, string(data))
	require.Equal(t, "main.Outer.Error called", fmt.Sprint(outer.Interface()))
	shape := b.Of(typ("Shape"))
	require.NotNil(t, mem.ItabOf(shape, b.Of(types.NewPointer(typ("Sq")))))
	require.Nil(t, mem.ItabOf(shape, b.Of(typ("Sq"))))
	require.Equal(t, 8.0, outer.MethodByName("Area").Call(nil)[0].Float())
	runtime.GC()
	for range 1000 {
		_ = fmt.Sprint(c.Interface(), err)
	}
	runtime.GC()
}

func TestFunctionsOfCompiledCodeAreSmallerThanThisPackages(t *testing.T) {
	n := new(int)
	for _, f := range []func(){
		func() { *n++ }, reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value {
			return nil
		}).Interface().(func()),
	} {
		require.False(t, NewDirect(nil).IsFunc(*mem.View[mem.Ptr](&f)), "and with -race, no word behind it is read")
	}
}
