package lower_test

import "testing"

// A call converts its arguments to the parameters' types, variadic ones into a slice.
func TestCalls(t *testing.T) {
	try(t, []row{
		{`func f(p string, xs ...int) string { return fmt.Sprint(p, len(xs), xs == nil) }
fmt.Println(f("a"), f("b", 1, 2), f("c", []int{1}...), f("d", nil...))`, "a0 true b2 false c1 false d0 true\n"},
		{`func two() (int, string) { return 1, "x" }
func take(n int, s string) string { return fmt.Sprint(n, s) }
fmt.Println(take(two()))`, "refused: a call with the results of another one\n"},
		{`func any2(xs ...any) int { return len(xs) }
fmt.Println(any2(1, "a", nil), any2([]any{1, 2}...), func(n int) int { return n * 2 }(4))`, "3 2 8\n"},
		{`func g(e error, s any) string { return fmt.Sprint(e, s == nil) }
fmt.Println(g(io.EOF, nil), g(nil, time.Second))`, "EOF true <nil> false\n"},
		{`pick := func() func(int, error) { return nil }
pick()(strconv.Atoi("4"))`, "refused: a call with the results of another one\n"},
	})
}
