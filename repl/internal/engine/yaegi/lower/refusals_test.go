package lower_test

import "testing"

// Ranges over functions, goroutines and channels are left to the exact engine.
func TestRefusals(t *testing.T) {
	try(t, []row{
		{`func count(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := range n { if !yield(i) { fmt.Print("end "); return } } } }
for i := range count(5) { if i == 2 { break }; fmt.Print(i, " ") }`, "refused: a range over a function\n"},
		{`func find(seq iter.Seq2[int, string], s string) int { for i, v := range seq { if v == s { return i } }; return -1 }
fmt.Println(find(slices.All([]string{"a", "b"}), "b"), find(slices.All([]string{}), "b"))`, "refused: a range over a function\n"},
		{`for w := range strings.FieldsSeq("a b c") { if w == "b" { continue }; fmt.Print(w) }
for i, x := range slices.Backward([]int{1, 2}) { fmt.Print(i, x) }`, "refused: a range over a function\n"},
		{
			`outer: for i := range 3 { for v := range slices.Values([]int{1, 2}) { if v > i { continue outer } } }`,
			"refused: a range over a function\n",
		},
		{`var wg sync.WaitGroup
out := make([]int, 5)
for i := range 5 { wg.Add(1); go func() { defer wg.Done(); time.Sleep(time.Millisecond); out[i] = i * i }() }
wg.Wait()
fmt.Println(out)`, "refused: goroutines and channels\n"},
		{`var fs []func() string
for _, s := range []string{"a", "b"} { for j := 0; j < 2; j++ { fs = append(fs, func() string { return s + fmt.Sprint(j) }) } }
for _, f := range fs { fmt.Print(f(), " ") }`, "a0 a1 b0 b1 "},
		{`done := make(chan int)
for i := range 3 { go func(n int) { done <- n }(i) }
sum := 0
for range 3 { sum += <-done }
fmt.Println(sum)`, "refused: goroutines and channels\n"},
	})
}
