package lower_test

import "testing"

// Functions may call each other in any order and have unnamed parameters; generic functions are refused.
func TestFunctions(t *testing.T) {
	try(t, []row{
		{`func Map[T, U any](xs []T, f func(T) U) (out []U) { for _, x := range xs { out = append(out, f(x)) }; return }
fmt.Println(Map([]int{1, 2}, func(n int) string { return fmt.Sprint(n * n) }), len(Map[string, int](nil, nil)))`, "refused: a generic declaration\n"},
		{`func even(n int) bool { return n == 0 || odd(n-1) }
func odd(n int) bool { return n != 0 && even(n-1) }
fmt.Println(even(10), odd(7))`, "true true\n"},
		{`type Num interface{ ~int | ~float64 }
func Sum[T Num](xs ...T) (s T) { for _, x := range xs { s += x }; return }
type M int
fmt.Printf("%v %v %T\n", Sum(1, 2), Sum(1.5), Sum(M(1)))`, "refused: a generic declaration\n"},
		{`func f[T any](n int, v T) string { if n == 0 { return fmt.Sprintf("%T", v) }; return f(n-1, v) }
fmt.Println(f(2, 1), f(1, []string{}))`, "refused: a generic declaration\n"},
		{`func unnamed(_ string, _ int) (_ int, err error) { return 1, nil }
fmt.Println(unnamed("", 1))`, "1 <nil>\n"},
	})
}
