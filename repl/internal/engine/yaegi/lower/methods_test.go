package lower_test

import "testing"

// Methods can be called, promoted, and used as values and as expressions. Interfaces with methods are refused.
func TestMethods(t *testing.T) {
	try(t, []row{
		{`type A struct{ n int }
func (a A) Get() int { return a.n }
func (a *A) Add(k int) { a.n += k }
type B struct{ *A; s string }
b := B{&A{1}, "x"}
b.Add(4)
f, g := b.Get, (*A).Add
g(b.A, 1)
fmt.Println(b.Get(), f(), A.Get(A{7}))`, "6 5 7\n"},
		{`type I interface{ Name() string }
type X string
func (x X) Name() string { return "x" + string(x) }
type Y struct{ I }
for _, i := range []I{X("1"), Y{X("2")}, &Y{X("3")}} { fmt.Print(i.Name(), " ") }`, "refused: an interface type with methods\n"},
		{`type L []int
func (l L) Len() int { return len(l) }
func (l L) Less(i, j int) bool { return l[i] < l[j] }
func (l L) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
l := L{3, 1, 2}
sort.Sort(l)
fmt.Println(l)`, "refused: a value of a cell's own type in an interface\n"},
		{`type S[T any] struct{ xs []T }
func (s *S[T]) Push(x T) *S[T] { s.xs = append(s.xs, x); return s }
func (s S[T]) Len() int { return len(s.xs) }
fmt.Println((&S[string]{}).Push("a").Push("b").Len())`, "refused: a generic declaration\n"},
		{`type T int
;;
func (t T) Late() int { return int(t) }`, "refused: a method for a type of an earlier cell\n"},
		{`type D time.Duration
func (d D) String() string { return time.Duration(d).String() + "!" }
fmt.Println(D(time.Second), []D{2}, map[string]D{"a": 3})`, "refused: a method String\n"},
	})
}
