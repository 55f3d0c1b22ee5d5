package mem

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The exact engine accesses raw memory only in mem.go: none of its other files imports unsafe, not even a test.
func TestUnsafeIsInOneFile(t *testing.T) {
	var with []string
	require.NoError(t, fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"unsafe"` {
				with = append(with, path)
			}
		}
		return nil
	}))
	require.Equal(t, []string{"mem/mem.go"}, with)
}

type record struct {
	n    int
	text string
	list []int
	next *record
	any  any
}

func TestViews(t *testing.T) {
	r := &record{n: 7, text: "text", list: []int{1, 2, 3}, any: "held"}
	rt := reflect.TypeFor[record]()
	off := func(name string) uintptr { f, _ := rt.FieldByName(name); return f.Offset }
	require.Equal(t, 7, *Slot[int](r, off("n")))
	require.Equal(t, "text", *At[string](Of(r), off("text")))
	list := Slot[Slice](r, off("list"))
	require.Equal(t, []int{list.Len, list.Cap}, []int{3, 3})
	require.Equal(t, []int{1, 2, 3}, Elems[int](list.Data, 3))
	require.Equal(t, 2, *At[int](list.Data, Word))
	require.True(t, Slot[Ptr](r, off("next")).Nil())
	*Slot[Ptr](r, off("next")) = Of(r)
	require.Same(t, r, r.next)
	require.Equal(t, 4, *At[int](Of(r), off("text")+LenOffset))
	require.Equal(t, TypeOf(reflect.TypeFor[string]()), As[Type](WordsOf(&r.any).Tab))
	require.Equal(t, off("list"), Distance(r, &r.list))
	require.Equal(t, 7, int(Value(reflect.TypeFor[int](), Of(r)).Int()))
}

// Memory to which only a Ptr points stays alive, with everything it refers to.
func TestPointersKeepMemoryAlive(t *testing.T) {
	typ := TypeOf(reflect.TypeFor[record]())
	var kept []Ptr
	for i := range 100 {
		p, q := New(typ), New(typ)
		*As[record](q) = record{n: i, text: strings.Repeat("x", i), list: []int{i}}
		*As[record](p) = record{next: As[record](q)}
		kept = append(kept, p)
	}
	runtime.GC()
	garbage := make([][]byte, 0, 100)
	for range 100 {
		garbage = append(garbage, make([]byte, 1000))
	}
	runtime.GC()
	for i, p := range kept {
		r := As[record](p).next
		require.Equal(t, record{n: i, text: strings.Repeat("x", i), list: []int{i}}, *r)
	}
	require.Len(t, garbage, 100)
}

func TestMemoryOfTypes(t *testing.T) {
	typ, elem := TypeOf(reflect.TypeFor[map[string]record]()), TypeOf(reflect.TypeFor[record]())
	m := MakeMap(typ, 4)
	key, absent := "k", "absent"
	*As[record](MapSet(typ, m, Of(&key))) = record{n: 3}
	require.Equal(t, map[string]record{"k": {n: 3}}, *View[map[string]record](&m))
	require.Equal(t, 3, As[record](MapGet(typ, m, Of(&key))).n)
	require.True(t, MapGet(typ, m, Of(&absent)).Nil())
	MapDelete(typ, m, Of(&key))
	require.Empty(t, *View[map[string]record](&m))

	s := Slice{Data: MakeSlice(elem, 2, 2), Len: 2, Cap: 2}
	As[record](s.Data).text = "first"
	s = GrowSlice(s.Data, 3, s.Cap, 1, elem)
	require.Equal(t, 3, s.Len)
	require.Equal(t, "first", (*View[[]record](&s))[0].text)
	other := make([]record, 3)
	require.Equal(t, 3, CopySlice(elem, Of(&other[0]), 3, s.Data, 3))
	require.Equal(t, "first", other[0].text)
	Clear(elem, Of(&other[0]))
	require.Zero(t, other[0])
	bytes := []byte("abc")
	require.Equal(t, 2, CopySlice(TypeOf(reflect.TypeFor[byte]()), Of(&bytes[0]), 2, Of(&bytes[1]), 2))
	require.Equal(t, "bcc", string(bytes))

	for _, v := range []any{5, "text", struct{}{}, &key, [1]*string{&key}, record{n: 1}} {
		typ := TypeOf(reflect.TypeOf(v))
		to := reflect.New(reflect.TypeOf(v))
		typ.Load(In(to), WordsOf(&v).Data)
		require.Equal(t, v, to.Elem().Interface())
		again := any(nil)
		*WordsOf(&again) = Words{Tab: Of(typ), Data: typ.Word(In(to))}
		require.Equal(t, v, again)
	}
	require.NotNil(t, ItabOf(TypeOf(reflect.TypeFor[error]()), TypeOf(reflect.TypeFor[*os.PathError]())))
	require.Nil(t, ItabOf(TypeOf(reflect.TypeFor[error]()), elem))
}

func TestAtomic(t *testing.T) {
	var word Atomic
	a, b := Of(new(int)), Of(new(int))
	word.Store(a)
	require.Equal(t, a, word.Load())
	require.False(t, word.CompareAndSwap(b, a))
	require.True(t, word.CompareAndSwap(a, b))
	require.Equal(t, b, word.Swap(a))
}

func TestStackUsed(t *testing.T) {
	var deeper func(n int, pad [128]byte) uintptr
	deeper = func(n int, pad [128]byte) uintptr {
		if n == 0 {
			return StackUsed() + uintptr(pad[0])
		}
		return deeper(n-1, pad)
	}
	before := StackUsed()
	after := deeper(10_000, [128]byte{}) // the stack has grown, and so moved, meanwhile
	require.Less(t, before, uintptr(1<<20))
	require.Greater(t, after, before+10_000*128)
	require.Less(t, after, before+10_000*1024)
}
