package lower_test

import "testing"

// Composite literals may have keys, be nested, and contain functions.
func TestLiterals(t *testing.T) {
	try(t, []row{
		{`type P struct{ X, Y int; In struct{ Z string } }
fmt.Printf("%+v %+v %v\n", P{Y: 2}, P{1, 2, struct{ Z string }{"z"}}, []*P{{X: 1}}[0].X)`, "{X:0 Y:2 In:{Z:}} {X:1 Y:2 In:{Z:z}} 1\n"},
		{
			`fmt.Println([]int{5: 1, 2}, [...]string{"a", 2: "c"}, map[string][]int{"a": {1, 2}}, [][]int{{1}, {}})`,
			"[0 0 0 0 0 1 2] [a  c] map[a:[1 2]] [[1] []]\n",
		},
		{`type K struct{ a, b int }
m := map[K]string{{1, 2}: "x"}
fmt.Println(m[K{1, 2}], m[K{2, 1}] == "")`, "x true\n"},
		{`var fs []func() int
for i := 0; i < 3; i++ { fs = append(fs, func() int { i *= 10; return i }) }
for _, f := range fs { fmt.Print(f(), f(), " ") }`, "0 0 10 100 20 200 "},
		{`p := &[]int{1, 2}
(*p)[0] = 9
fmt.Println(*p, &struct{ A any }{nil})`, "[9 2] &{<nil>}\n"},
	})
}
