// Command tool gives cells a function of this program to call. A scripted model replaces a real one, so that it
// runs without a key:
//
//	go run ./examples/tool
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Item is the result of the tool. Cells see the type under this name.
type Item struct {
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

// lookup is the tool: any Go function whose parameters and results can be JSON. It runs in this process,
// outside of the sandbox.
func lookup(_ context.Context, sku string) (Item, error) {
	items := map[string]Item{"A-1": {"Lamp", 30}, "B-2": {"Chair", 75}}
	item, ok := items[sku]
	if !ok {
		return Item{}, errors.New("no such item")
	}
	return item, nil
}

// model is a scripted model that computes the total of an order. Replace it by llm.New.
var model = llm.NewScripted("scripted", "I look up each line.\n\n"+"```go"+`
total := 0.0
for _, sku := range strings.Fields(context) {
	item := lookup(sku)
	fmt.Println(sku, item.Name, item.Price)
	total += item.Price
}
FINAL(fmt.Sprintf("The order costs %.2f.", total))
`+"```")

func run(ctx context.Context, out io.Writer, opts ...runner.Option) error {
	opts = append(opts, runner.WithTool(
		"lookup", "looks an item up by its number", lookup, runner.Params("sku"), runner.Repeatable()))
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	result, err := r.Answer(ctx, "What does the order cost?", runner.Text("order", "A-1\nB-2\nB-2\n"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, result.Answer)
	return err
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
