package lower_test

import "testing"

// Blocks, declarations, conditions and statements that only have effects run as in Go.
func TestStatements(t *testing.T) {
	try(t, []row{
		{`x := 1
{ x := 2; x++; fmt.Print(x, " ") }
if x := x + 10; x > 10 { fmt.Print(x, " ") } else if y := x; y > 0 { fmt.Print(y) }
fmt.Println(x)`, "3 11 1\n"},
		{`var ( a = 1; b, c = 2, "x" )
const k = a0 + 1
const a0 = 4
type T = int
var t T = k
fmt.Println(a, b, c, t)`, "1 2 x 5\n"},
		{`n := 0
n++
n--
;
{}
func() { n += 5 }()
fmt.Println(n)`, "5\n"},
		{`c := make(chan int, 1)
c <- 3
<-c
select { case c <- 1: default: }`, "refused: goroutines and channels\n"},
		{`if f := func(n int) bool { return n > 2 }; f(3) && !f(1) { fmt.Println("yes") }`, "yes\n"},
	})
}
