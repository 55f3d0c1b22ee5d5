// Command compare finds contradictions between the documents of a folder. It uses the model that the
// environment names (RLM_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL), or replays the recording:
//
//	go run ./examples/compare
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gorlm/rlm/examples/compare/corpus"
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

// inputs returns the folder's documents, generated from a seed.
func inputs() []runner.Input {
	var all []runner.Input
	for _, d := range corpus.Documents(corpus.Seed) {
		all = append(all, runner.Text(d.Name, d.Text))
	}
	return all
}
