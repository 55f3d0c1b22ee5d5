// Command oolong counts, over two thousand records, labels that can only be found by reading. It uses the model
// that the environment names (RLM_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL), or replays the recording:
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

// inputs returns the records, generated from a seed.
func inputs() []runner.Input {
	return []runner.Input{runner.Text("records.txt", corpus.Text(corpus.Seed))}
}
