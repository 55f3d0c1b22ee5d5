package exact

import "testing"

// A top-level variable that a goto declares anew is a new variable for closures and pointers in each round;
// later cells see the value of the last one.
func TestRoundsByGotoHaveVariablesOfTheirOwn(t *testing.T) {
	session(t,
		[2]string{`var fs []func() string
var ps []*int
n := 0
again:
x, y := n*10, "y"
ps = append(ps, &x)
fs = append(fs, func() string { y += "!"; return fmt.Sprint(x, y) })
x++
if n++; n < 3 { goto again }
x += 100
for i, f := range fs { fmt.Print(f(), f(), *ps[i], " ") }
fmt.Println(x, y)`, "1y!1y!!1 11y!11y!!11 121y!121y!!121 121 y!!\n"},
		[2]string{
			"fmt.Println(x, y, fs[2](), *ps[0])\nx = 5\nfmt.Println(x, fs[1]())",
			"121 y!! 121y!!! 1\n5 11y!!!\n",
		},
		[2]string{`k := 0
more: z := k
k++
if k < 3 { goto more }
func read() int { return z }
fmt.Println(z, read())`, "2 2\n"},
		[2]string{"z = 7\nfmt.Println(read())", "7\n"},
	)
}
