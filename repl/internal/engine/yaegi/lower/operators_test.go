package lower_test

import "testing"

// Arithmetic wraps and compares as Go says, in every width.
func TestOperators(t *testing.T) {
	try(t, []row{
		{`var a, b int8 = 127, 1
var u uint32 = 1
fmt.Println(a+b, u-2, u<<31, u<<32, -a, a*a)`, "-128 4294967295 2147483648 0 -127 1\n"},
		{`var x, y any = 1, 1.0
fmt.Println(x == y, x == any(1), x != nil, [2]int{1, 2} == [2]int{1, 2}, struct{ A string }{"a"} == struct{ A string }{"b"})`, "false true true true false\n"},
		{`f := 0.0
fmt.Println(1/f, -1/f, f/f == f/f, 5.0 > 4, "a" < "b", "a"+"b" == "ab")`, "+Inf -Inf false true true true\n"},
		{`var e error = io.EOF
fmt.Println(e == io.EOF, e != nil)
var s1, s2 fmt.Stringer = time.Second, time.Second
fmt.Println(s1 == s2)`, "true true\ntrue\n"},
		{`n := 3
n <<= 2
n |= 1
n &^= 4
n %= 5
fmt.Println(n, 1<<n, -8>>1)`, "4 16 -4\n"},
	})
}
