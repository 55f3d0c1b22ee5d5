// Command evidence answers a question over the handbooks of ten offices, and shows for each statement of the
// answer the words of the document that support it. It uses the model that the environment names (RLM_MODEL,
// OPENAI_API_KEY, OPENAI_BASE_URL), or replays the recording:
//
//	go run ./examples/evidence
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gorlm/rlm/examples/compare/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Question is the question about the documents.
const Question = "What may a night in a hotel cost in each of the offices, now? One line for each, in the order of the documents: " +
	"office: N EUR, and evidence for it."

// Replies is the recording for answering the question offline.
//
//go:embed replies.jsonl
var Replies string

func run(ctx context.Context, model llm.Model, out io.Writer, opts ...runner.Option) error {
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	var inputs []runner.Input
	for _, d := range corpus.Documents(corpus.Seed) {
		inputs = append(inputs, runner.Text(d.Name, d.Text))
	}
	result, err := r.Answer(ctx, Question, inputs...)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, result.Answer)
	for _, e := range result.Evidence { // the host has found each passage in its own copy of the text
		fmt.Fprintf(out, "%s %s:%d %q\n", e.Mark, e.Document, e.Line, e.Quote)
	}
	for _, q := range result.Unverified {
		fmt.Fprintf(out, "not in the documents: %q\n", q)
	}
	return nil
}

func main() {
	model, recorded, err := demo.Model(Replies)
	if err == nil && recorded {
		log.Print("the model's replies are recorded; everything else happens now")
	}
	if err == nil {
		err = run(context.Background(), model, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}
