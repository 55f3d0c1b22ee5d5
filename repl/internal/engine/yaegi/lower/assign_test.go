package lower_test

import "testing"

// An assignment stores a copy, of the type of the variable, in every round of a loop.
func TestAssignments(t *testing.T) {
	try(t, []row{
		{`x, y := 1, "a"
x = 5
x += 2
x <<= 3
y += "b"
fmt.Println(x, y)`, "56 ab\n"},
		{`type P struct{ X int; L [2]int }
a := P{1, [2]int{1, 2}}
b := a
b.X, b.L[0] = 9, 9
fmt.Println(a, b)`, "refused: an assignment of several values to places that read each other\n"},
		{`var all []map[string]int
for i := range 2 { m := map[string]int{}; m["k"] = i; all = append(all, m) }
fmt.Println(all)`, "[map[k:0] map[k:1]]\n"},
		{`var v any
v = 1
v = "two"
var e error
e = io.EOF
_ = e
_, _ = v, 3
fmt.Println(v, e)`, "two EOF\n"},
		{`m := map[string][]int{}
m["a"] = append(m["a"], 1)
m["a"][0]++
fmt.Println(m)`, "map[a:[2]]\n"},
	})
}
