package lower_test

import "testing"

// The body of a range over a function ends the iterator when it breaks or returns.
func TestRangesOverFunctions(t *testing.T) {
	try(t, []row{
		{`func count(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := range n { if !yield(i) { fmt.Print("end "); return } } } }
for i := range count(5) { if i == 2 { break }; fmt.Print(i, " ") }`, "0 1 end "},
		{`func find(seq iter.Seq2[int, string], s string) int { for i, v := range seq { if v == s { return i } }; return -1 }
fmt.Println(find(slices.All([]string{"a", "b"}), "b"), find(slices.All([]string{}), "b"))`, "1 -1\n"},
		{`for w := range strings.FieldsSeq("a b c") { if w == "b" { continue }; fmt.Print(w) }
for i, x := range slices.Backward([]int{1, 2}) { fmt.Print(i, x) }`, "ac1 20 1"},
		{`outer: for i := range 3 { for v := range slices.Values([]int{1, 2}) { if v > i { continue outer } } }`, "refused: continue out of a range over a function\n"},
	})
}
