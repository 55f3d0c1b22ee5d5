package lower_test

import "testing"

// A parallel assignment evaluates all values before it assigns any.
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
p.next, p = q, p.next`, "refused: an assignment of several values to places that read each other\n"},
		{`f := []string{"a", "b", "c"}
sku, cat := map[string]string{}, map[string]string{}
sku[f[0]], cat[f[0]] = f[1], f[2]
f[0], sku[f[0]] = f[2], f[0]
i, xs := 0, []int{5, 6, 7}
i, xs[i], xs[xs[i]-4] = 2, xs[1], i
at := map[string]int{"c": 1}
n, ok := 0, false
xs[at["c"]], ok = at[f[2]]
fmt.Println(f, sku, cat, i, xs, n, ok)`, "[c b c] map[a:a] map[a:c] 2 [6 1 7] 0 true\n"},
		{`f := func() int { return 1 }
xs, i := []int{1, 2}, []int{0, 1}
xs[i[0]], xs[i[1]] = f(), 2`, "refused: a value that is read beside a call that may change it\n"},
		{`c := make(chan int, 1)
c <- 4
v, ok := <-c
fmt.Println(v, ok)`, "refused: goroutines and channels\n"},
	})
}
