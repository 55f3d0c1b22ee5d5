package lower_test

import "testing"

// A range over a map follows the seed, and skips deleted entries.
func TestRangesOverMaps(t *testing.T) {
	try(t, []row{
		{`m := map[string]int{"a": 1, "b": 2, "c": 3}
sum := 0
for k, v := range m { sum += v; delete(m, k) }
fmt.Println(sum, len(m))`, "6 0\n"},
		{`m := map[int]bool{1: true, 2: true, 3: true}
n := 0
for k := range m { for o := range m { if o != k { delete(m, o) } }; n++ }
fmt.Println(n, len(m))`, "1 1\n"},
		{`fmt.Println(slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2})), len(slices.Collect(maps.Values(map[int]int{1: 1}))))`, "[a b] 1\n"},
		{`var none map[string]int
for range none { fmt.Print("no") }
for k, v := range map[string][]int{"a": {1}} { fmt.Println(k, v) }`, "a [1]\n"},
		{
			`for k := range map[float64]int{1: 2} { fmt.Println(k) }`,
			"refused: a range over a map whose keys are or hold floats or interfaces\n",
		},
		{
			`for k := range map[any]int{1: 2} { fmt.Println(k) }`,
			"refused: a range over a map whose keys are or hold floats or interfaces\n",
		},
	})
}
