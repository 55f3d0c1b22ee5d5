package lower_test

import "testing"

// Generic functions of the standard library are lowered from their source.
func TestGenericFunctionsOfPackages(t *testing.T) {
	try(t, []row{
		{`xs := []int{3, 1, 2}
slices.Sort(xs)
i, ok := slices.BinarySearch(xs, 2)
fmt.Println(xs, i, ok, slices.Max(xs), slices.Contains(xs, 9), slices.Index(xs, 3))`, "[1 2 3] 1 true 3 false 2\n"},
		{`type P struct{ N string; A int }
ps := []P{{"b", 2}, {"a", 2}, {"c", 1}}
slices.SortFunc(ps, func(x, y P) int { return cmp.Or(cmp.Compare(x.A, y.A), strings.Compare(x.N, y.N)) })
fmt.Println(ps)`, "[{c 1} {a 2} {b 2}]\n"},
		{`m := map[string]int{"a": 1}
n := maps.Clone(m)
n["b"] = 2
maps.DeleteFunc(n, func(k string, v int) bool { return v == 1 })
fmt.Println(m, n, maps.Equal(m, n))`, "map[a:1] map[b:2] false\n"},
		{`for c := range slices.Chunk([]int{1, 2, 3}, 2) { fmt.Print(c) }
fmt.Println(slices.Compact([]int{1, 1, 2}), slices.Equal([]int{1}, []int{1}), cmp.Compare("a", "b"))`, "refused: a range over a function\n"},
	})
}
