package lower_test

import "testing"

// Later units use, replace and extend earlier declarations; a refused unit changes nothing.
func TestUnitsOfASession(t *testing.T) {
	try(t, []row{
		{`x := 1
func f() int { return x }
;;
x = 5
fmt.Println(f())
;;
func f() int { return x * 100 }
;;
fmt.Println(f(), x)`, "5\n500 5\n"},
		{`type T struct{ A int }
t := T{1}
;;
type T struct{ A int; B string }
u := T{2, "x"}
;;
fmt.Println(t, u)`, "{1} {2 x}\n"},
		{`n := 1
;;
n = 2
fmt.Println(complex(1, 2))
;;
fmt.Println(n)`, "refused: complex numbers\n1\n"},
		{`func g() string { return h() }
func h() string { return "1" }
;;
func h() string { return "2" }
fmt.Println(g())`, "2\n"},
		{`a, b := 1, "x"
;;
a, c := 2, 3.5
fmt.Println(a, b, c)`, "2 x 3.5\n"},
	})
}
