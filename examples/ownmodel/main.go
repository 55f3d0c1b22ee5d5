// Command ownmodel answers with a custom model: anything that has a name and can turn messages into a reply. It
// runs without a key:
//
//	go run ./examples/ownmodel
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

// localModel is the model. A real one would send req.Messages somewhere and return the reply. It must be safe
// for concurrent use.
type localModel struct{ fail error }

func (localModel) Name() string { return "local" }

// Generate returns one complete reply. Its last parameter, if not nil, receives the pieces of a streamed reply.
func (m localModel) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	if m.fail != nil {
		return llm.Response{}, &llm.Error{
			Kind: llm.ErrUnavailable, Message: "the local model is not loaded", Err: m.fail,
		}
	}
	question := req.Messages[1].Content // the message after the system prompt
	reply := fmt.Sprintf("```go\nFINAL(fmt.Sprint(\"I was asked something in \", %d, \" characters.\"))\n```",
		len(question))
	if len(question) == 0 {
		return llm.Response{}, errors.New("nothing was asked")
	}
	return llm.Response{
		Content: reply, Model: "local", FinishReason: "stop",
		Usage: llm.Usage{
			Prompt: llm.EstimateMessages(req.Messages), Completion: llm.EstimateTokens(reply),
			Estimated: true,
		},
	}, nil
}

func run(ctx context.Context, out io.Writer, model llm.Model, opts ...runner.Option) error {
	// The window is the number of tokens that the model can read; with prices the cost of a run is known.
	opts = append(opts, runner.WithWindows(8_000, 8_000), runner.WithPrices(llm.Prices{"local": {}}))
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	result, err := r.Answer(ctx, "Anything?")
	var failed *llm.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("the model failed (%s); continue later with `rlm resume %s`: %w", failed.Kind, result.RunID,
			err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, result.Status, result.HasAnswer)
	return err
}

func main() {
	if err := run(context.Background(), os.Stdout, localModel{}); err != nil {
		log.Fatal(err)
	}
}
