package lower_test

import "testing"

// Several places take values that were all evaluated before.
func TestAssignmentsOfSeveral(t *testing.T) {
	try(t, []row{
		{`a, b := 1, 2
a, b = b, a
xs := []int{1, 2, 3}
xs[0], xs[2] = xs[2], xs[0]
fmt.Println(a, b, xs)`, "2 1 [3 2 1]\n"},
		{`m := map[string]int{"a": 1}
for _, k := range []string{"a", "b"} { v, ok := m[k]; fmt.Print(v, ok, " ") }`, "1 true 0 false "},
		{`var v any = 5
n, ok := v.(int)
s, bad := v.(string)
fmt.Printf("%v %v %q %v", n, ok, s, bad)`, "5 true \"\" false"},
		{`f := func() (int, string, error) { return 1, "x", io.EOF }
n, s, err := f()
_, t, _ := f()
fmt.Println(n, s, err, t)`, "1 x EOF x\n"},
		{`type N struct{ next *N }
p, q := &N{}, &N{}
p.next, p = q, p.next`, "refused: this place in an assignment of several values\n"},
		{`c := make(chan int, 1)
c <- 4
v, ok := <-c
fmt.Println(v, ok)`, "4 true\n"},
	})
}
