// Command typed lets cells ask for values of a Go type: the reply of a sub-call is JSON according to the type's
// schema, and the answer is returned as JSON. A scripted model replaces a real one, so that it runs without a
// key:
//
//	go run ./examples/typed
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Review is the data that the program extracts from each review.
type Review struct {
	Product string `json:"product"`
	Happy   bool   `json:"happy"`
}

// model replies to turns with a cell, and to the cell's sub-calls with JSON.
var model = llm.ScriptedFunc("scripted", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
	if req.Format != nil { // a sub-call for a value; req.Format.Schema is its JSON schema
		review, err := json.Marshal(Review{Product: "lamp", Happy: strings.Contains(req.Messages[0].Content, "love")})
		return llm.Response{Content: string(review)}, err
	}
	return llm.Response{Content: "```go" + `
type Review struct {
	Product string ` + "`json:\"product\"`" + `
	Happy   bool   ` + "`json:\"happy\"`" + `
}
var prompts []string
for _, line := range strings.Split(strings.TrimSpace(context), "\n") {
	prompts = append(prompts, "Which product is this about, and is the customer happy? "+line)
}
var reviews []Review
for i, err := range llm_query_json_batched(prompts, &reviews) {
	if err != nil { fmt.Println(prompts[i], err) }
}
out, _ := json.Marshal(reviews)
FINAL(string(out))
` + "```"}, nil
})

func run(ctx context.Context, out io.Writer, opts ...runner.Option) error {
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	result, err := r.Answer(ctx, "Sort the reviews.", runner.Text("reviews", "I love this lamp.\nThe lamp broke.\n"))
	if err != nil {
		return err
	}
	var reviews []Review
	if err := json.Unmarshal([]byte(result.Answer), &reviews); err != nil {
		return fmt.Errorf("reading the answer %q: %w", result.Answer, err)
	}
	for _, review := range reviews {
		fmt.Fprintln(out, review.Product, review.Happy)
	}
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
