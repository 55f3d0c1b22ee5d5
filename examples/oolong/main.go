// Command oolong counts, over two thousand records, something that only a reader can tell. It lets the model that the
// environment names answer (RLM_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL), or replays the recording:
//
//	go run ./examples/oolong
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
)

func main() {
	model, recorded, err := demo.Model(corpus.Replies)
	if err != nil {
		log.Fatal(err)
	}
	if recorded {
		log.Print("the model's replies are recorded; everything else happens now")
	}
	r, err := runner.New(model)
	if err != nil {
		log.Fatal(err)
	}
	result, err := r.Answer(context.Background(), corpus.Question, inputs()...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Answer)
}

// inputs are the records, made from a seed.
func inputs() []runner.Input {
	return []runner.Input{runner.Text("records.txt", corpus.Text(corpus.Seed))}
}
