package lower_test

import "testing"

// Generic functions, types and methods that a cell declares are refused, whatever types they contain.
func TestTypeParameters(t *testing.T) {
	try(t, []row{
		{`func kinds[K comparable, V any](k K, v V) string { return fmt.Sprintf("%T %T %T %T %T %T", map[K]V{}, []K{}, [2]V{}, func(K) V { return v }, make(chan V), &k) }
fmt.Println(kinds("a", 1.5))`, "refused: a generic declaration\n"},
		{`type Pair[A, B any] struct{ First A; Second B }
func Zip[A, B any](as []A, bs []B) (out []Pair[A, B]) { for i := range min(len(as), len(bs)) { out = append(out, Pair[A, B]{as[i], bs[i]}) }; return }
fmt.Printf("%+v\n", Zip([]int{1, 2}, []string{"a", "b"}))`, "refused: a generic declaration\n"},
		{`type Set[T comparable] map[T]struct{}
func (s Set[T]) Add(v T) { s[v] = struct{}{} }
func Union[T comparable](ss ...Set[T]) Set[T] { out := Set[T]{}; for _, s := range ss { for v := range s { out.Add(v) } }; return out }
a, b := Set[int]{}, Set[int]{}
a.Add(1)
b.Add(2)
fmt.Println(len(Union(a, b)))`, "refused: a generic declaration\n"},
		{`func Reduce[T, A any](xs []T, init A, f func(A, T) A) A { for _, x := range xs { init = f(init, x) }; return init }
fmt.Println(Reduce([]string{"a", "bb"}, 0, func(n int, s string) int { return n + len(s) }))`, "refused: a generic declaration\n"},
	})
}
