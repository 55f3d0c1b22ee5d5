package exact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// When a type gains a method, values of it in interfaces gain it too, wherever they are stored.
func TestMethodsForValuesInInterfaces(t *testing.T) {
	for _, c := range []struct{ name, setUp, look, want string }{
		{"keys of a map", "m := map[any]int{T{1}: 1, 5: 2}", "fmt.Println(m[T{1}], len(m), m[any(T{1})])", "1 2 1"},
		{
			"keys that are arrays of interfaces", "m := map[[2]any]any{{T{1}, 2}: T{3}}",
			"fmt.Println(m[[2]any{T{1}, 2}])", "T3",
		},
		{"keys that are not equal to themselves", "m := map[any]any{math.NaN(): T{1}}", "fmt.Println(len(m))", "1"},
		{"pointers", "p := new(any)\n*p = &T{1}\npp := &p", "fmt.Println(**pp)", "T1"},
		{
			"a ring", "type R struct{ next *R; v any }\nr := &R{v: T{1}}\nr.next = &R{r, T{2}}",
			"fmt.Println(r.v, r.next.v, r.next.next.v)", "T1 T2 T1",
		},
		{
			"a list of a package", "l := list.New()\nl.PushBack(T{1})\nl.PushBack([]any{T{2}})",
			"fmt.Println(l.Front().Value, l.Back().Value)", "T1 [T2]",
		},
		{
			"what a closure captured",
			"f := func(v any, s []any) func() any { return func() any { return []any{v, s} } }(T{1}, []any{T{2}})",
			"fmt.Println(f())", "[T1 [T2]]",
		},
		{
			"a method value", "type H struct{ v any }\nfunc (h H) Get() any { return h.v }\nf := H{T{1}}.Get",
			"fmt.Println(f())", "T1",
		},
		{
			"atomic values", "var a atomic.Value\na.Store(T{1})\nvar p atomic.Pointer[[]any]\np.Store(&[]any{T{2}})",
			"fmt.Println(a.Load(), *p.Load(), a.CompareAndSwap(T{1}, T{9}))", "T1 [T2] true",
		},
		{"a sync.Map", "var m sync.Map\nm.Store(T{1}, T{2})", "v, ok := m.Load(T{1})\nfmt.Println(v, ok)", "T2 true"},
		{
			"composite types", "var a, b, c any = []T{{1}}, map[string]*T{\"k\": {2}}, struct{ V [1]T }{[1]T{{3}}}",
			"fmt.Println(a, b.(map[string]*T)[\"k\"], c, a.([]T)[0])", "[T1] T2 {[T3]} T1",
		},
		{
			"an interface of cells", "type I interface{ Get() int }\nfunc (t T) Get() int { return t.n }\nis := []I{T{1}, &T{2}}",
			"fmt.Println(is, is[0].Get()+is[1].Get(), is[0] == I(T{1}))", "[T1 T2] 3 true",
		},
		{
			"an interface that names the type",
			"type I interface{ Cmp(T) int }\nfunc (t T) Cmp(u T) int { return t.n - u.n }\nvar i I = T{5}",
			"fmt.Println(i, i.Cmp(T{2}), i.(I).Cmp(T{1}))", "T5 3 4",
		},
		{
			"a struct around the type", "type W struct{ T }\nvar w any = W{T{1}}\nvar e any = struct{ *T }{&T{2}}",
			"fmt.Println(w, w == any(W{T{1}}), e)", "T1 true T2",
		},
		{
			"an error", "err := error(nil)\ntype E struct{ T }\nfunc (e E) Error() string { return \"e\" }\nerr = fmt.Errorf(\"x: %w\", E{T{1}})",
			"var e E\nfmt.Println(errors.As(err, &e), err)", "true x: e",
		},
		{
			"a field that is not exported, in an array",
			"type B struct{ in [2]struct{ v any } }\nb := &B{}\nb.in[1].v = T{1}", "fmt.Println(b.in[1].v)", "T1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			nb := enginetest.NewNotebook(t, newEngine)
			for i, source := range []string{
				"type T struct{ n int }\n" + c.setUp,
				"func (t T) String() string { return fmt.Sprint(\"T\", t.n) }", c.look,
			} {
				out, err := nb.Run(i+1, source)
				require.NoError(t, err)
				require.Nil(t, out.Panic)
			}
			require.Equal(t, c.want+"\n", nb.Out.Take())
		})
	}
}
