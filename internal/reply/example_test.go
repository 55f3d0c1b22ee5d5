package reply_test

import (
	"fmt"

	"github.com/gorlm/rlm/internal/reply"
)

// Cells are run, blocks in other languages are not, and the rest is prose.
func ExampleParse() {
	r := reply.Parse("First I count.\n\n```go\nn := len(context)\n```\n\n```python\nprint(n)\n```\n",
		reply.DefaultNames(), false)
	for _, c := range r.Cells {
		fmt.Printf("cell at line %d: %s\n", c.Line, c.Source)
	}
	for _, s := range r.Skipped {
		fmt.Printf("not run: %s at line %d\n", s.Lang, s.Line)
	}
	// Output:
	// cell at line 4: n := len(context)
	//
	// not run: python at line 7
}
