package lower_test

import "testing"

// Variables of a loop are new in each round; break and continue find their loop.
func TestLoops(t *testing.T) {
	try(t, []row{
		{`var ps []*int
for i := 0; i < 3; i++ { ps = append(ps, &i); i += 0 }
for _, p := range ps { fmt.Print(*p, " ") }`, "0 1 2 "},
		{`outer: for i := 0; i < 3; i++ { for j := 0; j < 3; j++ { if j == 2 { continue outer }; if i == 2 { break outer }; fmt.Print(i, j, " ") } }`, "0 0 0 1 1 0 1 1 "},
		{`n := 0
for { n++; if n%2 == 0 { continue }; if n > 6 { break } }
for n < 10 { n += 2 }
fmt.Println(n)`, "11\n"},
		{`for i, j := 0, 10; i < j; i, j = i+1, j-2 { fmt.Print(i, j, " ") }`, "0 10 1 8 2 6 3 4 "},
		{`L: for i := range 3 { switch { case i == 1: break L }; fmt.Print(i) }`, "0"},
		{`n := 0
again: n++
if n < 3 { goto again }`, "refused: goto\n"},
	})
}
