package lower_test

import "testing"

// A statement may read a variable beside a call only if no function changes the variable.
func TestSharedVariables(t *testing.T) {
	try(t, []row{
		{`x := 1
func set() int { x = 5; return 1 }
func deep() int { return set() }
fmt.Println(x + deep())`, "refused: a value that is read beside a call that may change it\n"},
		{`x := 1
func pure(n int) int { y := n; y++; return y }
fmt.Println(x + pure(x))`, "3\n"},
		{`type B struct{ n, m int }
func (b *B) inc() int { b.n++; return b.n }
b := &B{}
fmt.Println(b.m + b.inc())`, "refused: a value that is read beside a call that may change it\n"},
		{`type B struct{ n, m int }
func (b *B) inc() int { b.n++; return b.n }
b := &B{}
fmt.Println(b.n + b.inc())`, "refused: a value that is read beside a call that may change it\n"},
		{`f := func() int { return 1 }
x := 2
g := func() int { x++; return f() }
fmt.Println(x + g())`, "refused: a value that is read beside a call that may change it\n"},
	})
}
