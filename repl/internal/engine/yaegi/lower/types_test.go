package lower_test

import "testing"

// Types keep their names and fields; types without an equivalent in the interpreter are refused.
func TestTypes(t *testing.T) {
	try(t, []row{
		{`type Celsius float64
type Grid [2][2]int
type F func(int) string
fmt.Printf("%T %T %T %v\n", Celsius(1), Grid{}, F(nil), Grid{{1}})`, "refused: a value of a cell's own type in an interface\n"},
		{`type Tree struct{ L, R *Tree; V int }
t := &Tree{&Tree{V: 1}, nil, 2}
fmt.Println(t.L.V, t.R == nil)`, "1 true\n"},
		{"type J struct{ Name string `json:\"name\"`; skip int; O *int `json:\"o,omitempty\"` }\nb, _ := json.Marshal([]J{{\"a\", 1, nil}})\nfmt.Println(string(b))", "refused: a value of a cell's own type in an interface\n"},
		{`func local() string { type T struct{ a int }; return fmt.Sprintf("%T %v", T{}, T{2}) }
fmt.Println(local())`, "refused: a value of a cell's own type in an interface\n"},
		{`type Tree []Tree
fmt.Println(Tree{nil})`, "refused: a type that contains itself without a struct in between\n"},
		{`type A struct{ B []B }
type B struct{ A []A }
fmt.Println(A{})`, "refused: types that contain each other\n"},
		{`var p atomic.Pointer[int]
fmt.Println(p.Load())`, "refused: a generic type of the standard library\n"},
		{`var c complex128
fmt.Println(c)`, "refused: complex numbers\n"},
	})
}
