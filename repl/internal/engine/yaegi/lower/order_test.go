package lower_test

import "testing"

// A read beside a call that may change the value is refused; other expressions are evaluated in order.
func TestOrderOfEvaluation(t *testing.T) {
	try(t, []row{
		{`x := 1
next := func() int { x++; return x }
fmt.Println(next(), next(), next()+next())`, "2 3 9\n"},
		{`x := 1
next := func() int { x++; return x }
fmt.Println(x, next())`, "refused: a value that is read beside a call that may change it\n"},
		{`x := 1
next := func() int { x++; return x }
fmt.Println(x + next())`, "refused: a value that is read beside a call that may change it\n"},
		{`trace := func(s string) string { fmt.Print(s, " "); return s }
m := map[string]string{trace("k"): trace("v")}
fmt.Println(m, []string{trace("a"), trace("b")}, trace("c")+trace("d"))`, "k v a b c d map[k:v] [a b] cd\n"},
		{`xs := []int{1, 2}
fill := func() int { xs[0] = 9; return 1 }
fmt.Println(len(xs) + fill())`, "3\n"},
	})
}
