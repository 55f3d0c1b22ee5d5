package lower_test

import "testing"

// The language's builtin functions work as in Go, except that new of a value and println of most types are refused.
func TestBuiltins(t *testing.T) {
	try(t, []row{
		{`xs := make([]int, 2, 5)
xs = append(xs, 1, 2)
xs = append(xs, xs...)
fmt.Println(xs, len(xs), cap(xs[:2:3]), copy(xs, []int{7, 8}), xs[0])`, "[7 8 1 2 0 0 1 2] 8 3 2 7\n"},
		{`b := append([]byte("ab"), "cd"...)
fmt.Println(string(b), bytes.Count(b, b))
fmt.Println(copy(b, "xyz"), string(b))`, "abcd 1\n3 xyzd\n"},
		{`m := map[string]int{"a": 1, "b": 2}
delete(m, "a")
fmt.Println(len(m))
clear(m)
fmt.Println(len(m))`, "1\n0\n"},
		{`fmt.Println(min(3, 1, 2), max(1.5, 2), min("b", "a"))`, "1 2 a\n"},
		{`p := new(int)
*p = 3
fmt.Println(*p, len([3]int{}), len("é"), cap([2]int{}))`, "3 3 2 2\n"},
		{`p := new(5)
fmt.Println(*p)`, "refused: new of a value\n"},
		{`fmt.Println(real(complex(1, 2)))`, "1\n"},
		{`println(1.5)`, "refused: println of other values than text, whole numbers and truth values\n"},
	})
}
