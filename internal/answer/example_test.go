package answer_test

import (
	"fmt"

	"github.com/gorlm/rlm/internal/answer"
)

// An answer is text: a string stays as it is, everything else becomes JSON.
func ExampleFormat() {
	type row struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
	}
	fmt.Println(answer.Format("as it is"))
	fmt.Println(answer.Format(3.5))
	fmt.Println(answer.Format(row{"a", 1}))
	// Output:
	// as it is
	// 3.5
	// {
	//   "name": "a",
	//   "count": 1
	// }
}
