package lower_test

import "testing"

// Switches by value and by type: only the first matching case runs.
func TestSwitches(t *testing.T) {
	try(t, []row{
		{`for i := range 5 { switch i { case 0: fmt.Print("zero "); case 1, 2: fmt.Print("some "); if i == 2 { break }; fallthrough; case 3: fmt.Print("three "); default: fmt.Print("rest ") } }`, "zero some three some three rest "},
		{`for _, v := range []any{1, "s", 2.5, nil, []int{1}, io.EOF} { switch x := v.(type) { case int: fmt.Print(x+1, " "); case string, float64: fmt.Printf("%v:%T ", x, x); case nil: fmt.Print("nil "); case error: fmt.Print(x.Error(), " "); default: fmt.Printf("%T ", x) } }`, "2 s:string 2.5:float64 nil []int EOF "},
		{`f := func(s string, n int) int { fmt.Print(s); return n }
switch f("t", 2) { case f("a", 1): fmt.Print(1); case f("b", 2): fmt.Print(2); case f("c", 2): fmt.Print(3) }`, "tab2"},
		{`x := 5
switch { case x > 3 && x < 10: fmt.Print("mid"); case x > 4: fmt.Print("no") }
switch y := x * 2; y { default: fmt.Print(" default"); case 9: }`, "mid default"},
		{`type S string
var v any = S("a")
switch v.(type) { case string: fmt.Print("string"); case S: fmt.Print("S") }`, "refused: a value of a cell's own type in an interface\n"},
	})
}
