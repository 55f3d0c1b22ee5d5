package lower_test

import "testing"

// A range works over slices, arrays, strings and integers; over a channel it is refused.
func TestRanges(t *testing.T) {
	try(t, []row{
		{`for i, r := range "aé" { fmt.Print(i, string(r), " ") }
for i := range 3 { fmt.Print(i) }
for range 2 { fmt.Print(".") }`, "0a 1é 012.."},
		{`xs := []int{1, 2, 3}
for i, x := range xs { xs[i] = x * 2; if i == 0 { xs = append(xs, 9) } }
fmt.Println(xs)`, "[2 4 6 9]\n"},
		{`a := [2]int{1, 2}
for i, x := range a { a[1] = 7; fmt.Print(i, x, " ") }
for i, x := range &a { a[1] = 8; fmt.Print(i, x, " ") }`, "0 1 1 2 0 1 1 8 "},
		{`c := make(chan int, 3)
for i := range 3 { c <- i }
close(c)
for v := range c { fmt.Print(v) }`, "refused: goroutines and channels\n"},
		{`var fs []func() int
for i, s := range []string{"a", "bb"} { fs = append(fs, func() int { return i*10 + len(s) }) }
fmt.Println(fs[0](), fs[1]())`, "1 12\n"},
		{`xs := []int{0, 0}
for xs[0], xs[1] = range []int{5} {}
fmt.Println(xs)`, "refused: a range statement that assigns to an element\n"},
	})
}
