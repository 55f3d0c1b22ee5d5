package lower_test

import "testing"

// Expressions have the right types, and fail as in Go if a pointer is nil.
func TestExpressions(t *testing.T) {
	try(t, []row{
		{`x, y := 7, 2
fmt.Println(x/y, x%y, -x, ^x, x&^y, x == y, !(x > y), (x+y)*2)`, "3 1 -7 -8 5 false false 18\n"},
		{`y0 := 4
p := &struct{ A int }{3}
q := &p
fmt.Println(p.A, (*p).A, (**q).A, *(&y0))`, "3 3 3 4\n"},
		{`var f func()
var m map[string]int
var s []int
fmt.Println(f == nil, m == nil, s == nil, m["a"], len(s))`, "true true true 0 0\n"},
		{`len := 3
fmt.Println(len)
;;
fmt.Println(len, len("ab"))`, "3\n3 2\n"},
	})
}
