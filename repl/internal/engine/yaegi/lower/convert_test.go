package lower_test

import "testing"

// Values keep their Go type in interfaces, and convert as Go says.
func TestConversions(t *testing.T) {
	try(t, []row{
		{`type C float64
type S []int
c := C(2.9)
fmt.Printf("%T %v %T %v\n", C(1.5), int(c), S{1}, []int(S{2}))`, "refused: a value of a cell's own type in an interface\n"},
		{`fmt.Println(string([]rune{'h', 233}), []byte("é"), []rune("é"), string(rune(65)), float32(0.1), uint8(300&0xff), int64(-1)>>1)`, "hé [195 169] [233] A 0.1 44 -1\n"},
		{`type E string
func (e E) Error() string { return "E" + string(e) }
var err error = E("x")
var a any = err
_, ok := a.(E)
fmt.Println(err, ok, a.(error) == err)`, "refused: a method Error\n"},
		{`var p *int
var a any = p
var e error
fmt.Println(a == nil, p == nil, e == nil, any(nil) == nil)`, "false true true true\n"},
		{`a := [2]int([]int{1, 2})
fmt.Println(a)`, "refused: a conversion from a slice to an array\n"},
		{`type A struct{ n int }
type B struct{ n int }
fmt.Println(B(A{3}), (*B)(&A{1}) != nil)`, "refused: a conversion between pointer types\n"},
	})
}
