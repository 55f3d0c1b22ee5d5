package lower_test

import "testing"

// Results are those of the return statement, as changed by deferred functions.
func TestReturns(t *testing.T) {
	try(t, []row{
		{`func f() (n int, err error) { defer func() { n *= 2 }(); n = 3; return n + 1, io.EOF }
fmt.Println(f())`, "refused: named results that a function literal or a pointer keeps\n"},
		{`func g(b bool) (s string) { if b { s = "bare"; return }; return "other" }
fmt.Println(g(true), g(false))`, "bare other\n"},
		{`func two() (int, any) { return 1, "x" }
func through() (int, any) { return two() }
fmt.Println(through())`, "1 x\n"},
		{`func e() error { var p *strconv.NumError; if p != nil { return p }; return nil }
fmt.Println(e() == nil)`, "true\n"},
		{`func swap(a, b int) (x, y int) { x, y = a, b; return y, x }
fmt.Println(swap(1, 2))`, "2 1\n"},
	})
}
