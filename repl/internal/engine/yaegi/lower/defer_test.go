package lower_test

import "testing"

// Deferred calls keep the arguments evaluated when they were deferred, and run in reverse order.
func TestDeferredCalls(t *testing.T) {
	try(t, []row{
		{`func f() (s string) { defer func() { s += "!" }(); for i := range 3 { defer func(n int) { s += fmt.Sprint(n) }(i) }; return "r" }
fmt.Println(f())`, "refused: named results that a function literal or a pointer keeps\n"},
		{`x := 1
func() { defer fmt.Println("deferred", x); x = 2; fmt.Println("body", x) }()`, "body 2\ndeferred 1\n"},
		{`type T struct{ n int }
func (t T) show() { fmt.Print(t.n, " ") }
func() { t := T{1}; defer t.show(); t.n = 2; t.show() }()`, "2 1 "},
		{`c := make(chan int, 1)
func() { defer close(c); c <- 1 }()
for v := range c { fmt.Println(v) }`, "refused: goroutines and channels\n"},
		{`m := map[int]int{}
func() { defer delete(m, 1) }()`, "refused: a builtin in a defer statement\n"},
	})
}
