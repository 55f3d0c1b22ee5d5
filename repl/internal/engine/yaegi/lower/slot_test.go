package lower_test

import "testing"

// A function that a round of a loop makes stays its own, on goroutines too.
func TestFunctionsOfRounds(t *testing.T) {
	try(t, []row{
		{`var wg sync.WaitGroup
out := make([]int, 5)
for i := range 5 { wg.Add(1); go func() { defer wg.Done(); time.Sleep(time.Millisecond); out[i] = i * i }() }
wg.Wait()
fmt.Println(out)`, "[0 1 4 9 16]\n"},
		{`var fs []func() string
for _, s := range []string{"a", "b"} { for j := 0; j < 2; j++ { fs = append(fs, func() string { return s + fmt.Sprint(j) }) } }
for _, f := range fs { fmt.Print(f(), " ") }`, "a0 a1 b0 b1 "},
		{`done := make(chan int)
for i := range 3 { go func(n int) { done <- n }(i) }
sum := 0
for range 3 { sum += <-done }
fmt.Println(sum)`, "3\n"},
	})
}
