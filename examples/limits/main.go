// Command limits bounds the cost of a question and ends it by a custom condition. A scripted model replaces a
// real one, so that it runs without a key:
//
//	go run ./examples/limits
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// model is a scripted model that improves its answer in each turn.
var model = llm.ScriptedFunc("scripted", func(_ context.Context, _ llm.Request, n int) (llm.Response, error) {
	return llm.Response{Content: fmt.Sprintf("```go\nanswer[\"content\"] = \"draft %d\"\n```", n+1)}, nil
})

func run(ctx context.Context, out io.Writer, opts ...runner.Option) error {
	budgets := runner.DefaultBudgets()
	budgets.Iterations, budgets.Cost, budgets.Time = 10, 0.50, time.Minute
	goodEnough := func(s runner.State) (reason string, stop bool) {
		return "the third draft is good enough", s.Partial == "draft 3"
	}
	r, err := runner.New(model, append(opts, runner.WithBudgets(budgets), runner.WithStop(goodEnough))...)
	if err != nil {
		return err
	}
	result, err := r.Answer(ctx, "Write something.")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s after %d turns (%s): %s\n", result.Status, result.Turns, result.Reason, result.Answer)
	return err
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
