package lower_test

import "testing"

// Functions that print, wait or fill in values by reflection work, have a replacement, or are refused.
func TestStandIns(t *testing.T) {
	try(t, []row{
		{`fmt.Print(1, 2, "a", 3)
fmt.Println()
fmt.Printf("%05.1f|%-4s|%x\n", 3.14159, "ab", "hi")`, "1 2a3\n003.1|ab  |6869\n"},
		{"var v struct{ A int; B []string }\nfmt.Println(json.Unmarshal([]byte(`{\"A\":1,\"B\":[\"x\"]}`), &v), v)\nb, err := json.Marshal(v)\nfmt.Println(string(b), err)", "<nil> {1 [x]}\n{\"A\":1,\"B\":[\"x\"]} <nil>\n"},
		{`var wg sync.WaitGroup
var n atomic.Int64
for range 3 { wg.Add(1); go func() { defer wg.Done(); n.Add(2) }() }
wg.Wait()
fmt.Println(n.Load())`, "refused: goroutines and channels\n"},
		{`type I interface{ M() }
var v any
fmt.Println(json.Unmarshal([]byte("1"), &v))`, "refused: an interface type with methods\n"},
		{`type I interface{ error; Code() int }
var i I
fmt.Println(errors.As(io.EOF, &i))`, "refused: an interface type with methods\n"},
	})
}
