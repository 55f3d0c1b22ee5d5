// Command incidents finds the incidents of a day in a log of 7 MB. It uses the model that the environment names
// (RLM_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL), or replays the recording:
//
//	go run ./examples/incidents
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gorlm/rlm/examples/incidents/corpus"
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

// inputs returns the log, generated from a seed.
func inputs() []runner.Input {
	return []runner.Input{runner.Text("shop.log", corpus.Log(corpus.Seed))}
}
