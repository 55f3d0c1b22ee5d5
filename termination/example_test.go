package termination_test

import (
	"fmt"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/termination"
)

// A run is a loop around Next, which takes the result of a turn and reports whether the run continues.
func ExamplePolicy() {
	p := termination.DefaultPolicy(termination.Response)
	state, err := p.Begin("How many errors are there?")
	if err != nil {
		fmt.Println(err)
		return
	}
	turns := []termination.Turn{
		{
			Reply: reply.Parse("```go\nn := strings.Count(context, \"ERROR\")\n```", p.Names, false),
			Cells: []termination.CellOutcome{{Source: "n := …", Output: "variables: n int"}},
		},
		{
			Reply: reply.Parse("```go\nFINAL(n)\n```", p.Names, false),
			Cells: []termination.CellOutcome{
				{Source: "FINAL(n)", Final: &answer.FinalOutput{Type: answer.Direct, Answer: "42"}},
			},
		},
	}
	for _, t := range turns {
		var v termination.Verdict
		state, v = p.Next(state, t)
		fmt.Println(v.Action)
		if v.End != nil {
			fmt.Println(v.End.Status, v.End.Answer, "exit code", v.End.ExitCode())
		}
	}
	// Output:
	// continue
	// stop
	// completed 42 exit code 0
}

// A done sequence is a pattern over the events of a run: here a reply that called llm_query, its observation, and
// a reply without calls.
func ExampleParseSequence() {
	seq, err := termination.ParseSequence("T[llm_query], A, L")
	fmt.Println(seq, err)
	_, err = termination.ParseSequence("T[llm_query")
	fmt.Println(err != nil)
	// Output:
	// T[llm_query], A, L <nil>
	// true
}
