package lower_test

import "testing"

// Constants are computed before the interpreter sees them, in any width.
func TestConstants(t *testing.T) {
	try(t, []row{
		{`const big = 1 << 100
fmt.Println(big>>98, uint64(math.MaxUint64), math.MinInt64, 'a', 1e3, 07, 0x1p-2)`, "4 18446744073709551615 -9223372036854775808 97 1000 7 0.25\n"},
		{`const c = 0.1 + 0.2
var f32 float32 = 1.0 / 3
fmt.Println(c, f32, 7/2, 7/2.0, -7%3)`, "0.3 0.33333334 3 3.5 -1\n"},
		{`type W int
const ( A W = iota + 1; B; _; D )
fmt.Printf("%d %d %T\n", B, D, A)`, "refused: a value of a cell's own type in an interface\n"},
		{
			`fmt.Println(math.MaxInt8, "a\x00\u00e9"+"b", len("abc"), time.Second*2, math.Inf(1) > math.MaxFloat64)`,
			"127 a\x00éb 3 2s true\n",
		},
		{`var x uint8 = 255
x++
fmt.Println(x, ^uint16(0), int8(-128))`, "0 65535 -128\n"},
	})
}
