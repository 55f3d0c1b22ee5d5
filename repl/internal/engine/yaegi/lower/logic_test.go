package lower_test

import "testing"

// The right side of && and || runs only if it matters.
func TestLogic(t *testing.T) {
	try(t, []row{
		{`t := func(s string, b bool) bool { fmt.Print(s); return b }
fmt.Println(t("a", false) && t("b", true) || t("c", true) && !t("d", false))`, "acdtrue\n"},
		{`var p *struct{ n int }
xs := []int{}
fmt.Println(p != nil && p.n > 0, len(xs) == 0 || xs[0] == 1, p == nil && (len(xs) > 0 || true))`, "false true true\n"},
		{`n := 0
for n < 10 && (n != 5 || false) { n++ }
if n == 5 && n > 4 || n == 0 { fmt.Println(n) }`, "5\n"},
		{`x := func() bool { return true }() && !false
fmt.Println(x, []bool{x && x, x || x, !x || !x && x})`, "true [true true false]\n"},
	})
}
