package lower_test

import "testing"

// Indexes, slices, addresses and type assertions are evaluated as in Go.
func TestOperands(t *testing.T) {
	try(t, []row{
		{`a := [3]int{1, 2, 3}
s := a[:]
s[1] = 9
p := &a
fmt.Println(a, s[1:2], p[2], len(p), s[:1:2], "héllo"[1:3] == "é", "abc"[1])`, "[1 9 3] [9] 3 3 [1] true 98\n"},
		{`m := map[string]map[string]int{"a": {"b": 1}}
m["a"]["c"]++
fmt.Println(m, m["x"]["y"])`, "map[a:map[b:1 c:1]] 0\n"},
		{`var v any = []int{1}
fmt.Println(v.([]int)[0])
t := [][]int{{1, 2}, {3}}
t[0][1], t[1] = 5, append(t[1], 6)
fmt.Println(t)`, "refused: a value that is read beside a call that may change it\n"},
		{`type T struct{ In []struct{ M map[string]int } }
t := T{In: make([]struct{ M map[string]int }, 1)}
t.In[0].M = map[string]int{}
t.In[0].M["k"] += 2
fmt.Println(t)`, "{[{map[k:2]}]}\n"},
		{`i := uint8(1)
xs := []string{"a", "b"}
fmt.Println(xs[i], xs[i:], &xs[0] == &xs[:1][0])`, "b [b] true\n"},
	})
}
