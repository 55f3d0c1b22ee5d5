package lower_test

import "testing"

// Functions of cells and of packages can be values; generic functions are refused.
func TestFunctionValues(t *testing.T) {
	try(t, []row{
		{`func double(n int) int { return 2 * n }
fs := []func(int) int{double, func(n int) int { return n + 1 }}
fmt.Println(fs[0](3), fs[1](3))`, "6 4\n"},
		{`up := strings.ToUpper
fmt.Println(up("a"), strings.Map(func(r rune) rune { return r + 1 }, "abc"))`, "A bcd\n"},
		{`func id[T any](v T) T { return v }
f := id[string]
fmt.Println(f("x"))`, "refused: a generic declaration\n"},
		{`func apply(f func(float64) float64, x float64) float64 { return f(x) }
fmt.Println(apply(math.Sqrt, 9), apply(math.Abs, -1))`, "3 1\n"},
		{`m := map[string]func(int, int) int{"min": func(a, b int) int { return min(a, b) }}
fmt.Println(m["min"](3, 2), m["x"] == nil)`, "2 true\n"},
	})
}
