// Command session asks two questions in one notebook and prints the replies as they arrive. A scripted model
// replaces a real one, so that it runs without a key:
//
//	go run ./examples/session
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// model is a scripted model that counts words. The second cell uses a variable of the first.
var model = llm.NewScripted(
	"scripted",
	"```go\nwords := strings.Fields(context)\nFINAL(len(words))\n```",
	"```go\nFINAL(strings.ToUpper(words[0]))\n```",
)

func run(ctx context.Context, out io.Writer, opts ...runner.Option) (err error) {
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	s, err := r.NewSession(ctx, runner.Text("poem", "the woods are lovely, dark and deep"))
	if err != nil {
		return err
	}
	defer s.Close()
	for _, question := range []string{"How many words are there?", "And the first one, in capitals?"} {
		fmt.Fprintln(out, ">", question)
		for ev, err := range s.Ask(ctx, question) {
			if err != nil {
				return err
			}
			switch d := ev.Data.(type) {
			case trajectory.ReplyDelta: // a piece of the reply, as it arrives
				fmt.Fprint(out, d.Content)
			case trajectory.CellPrinted: // output of a cell, as it is printed
				fmt.Fprint(out, d.Text)
			case trajectory.RunEnded:
				fmt.Fprintf(out, "\nAnswer: %s\n", d.Answer)
			}
		}
	}
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
