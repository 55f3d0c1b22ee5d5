// Package nothing holds the ways in which a model produces no answer, for one test in each front: a run of the
// command line, a row of a batch, an MCP tool, the OpenAI API and the library should all end in the same way.
package nothing

import (
	"fmt"
	"strings"
)

// NeedsInput is the status of a run in which the model asked for something.
const NeedsInput = "needs_input"

// Question is the question that the model fails to answer.
const Question = "Which service fails most?"

// Text is the text that the question is about. It is too long to be shown as a whole.
func Text() string { return strings.Repeat("10:01 ERROR cart\n10:02 ok\n", 4000) }

// Way is what a model does, and how its run ends: with exit code 3, and nothing that a caller could take for an
// answer.
type Way struct {
	// Reply returns the model's reply to a turn, counted from 0.
	Reply func(turn int) string
	// Status is the status of the run.
	Status string
	// Partial is the last reply, if it is shown as a partial result.
	Partial string
}

// Ways returns the ways by name.
func Ways() map[string]Way {
	always := func(reply string) func(int) string { return func(int) string { return reply } }
	failing := func(n int) string { return fmt.Sprintf("```go\nunknown%d()\n```", n) }
	return map[string]Way{
		"the same Python": {Reply: always("```python\nprint(context.count('ERROR'))\n```"), Status: "error"},
		"another Python": {Reply: func(n int) string {
			return fmt.Sprintf("```python\nprint(%d)\n```", n)
		}, Status: "error_limit"},
		"the same cell":  {Reply: always("```go\nx := undefined\n```"), Status: "error_limit"},
		"the same words": {Reply: always("It is surely cart."), Status: "error"},
		"words without cells": {Reply: func(n int) string {
			return fmt.Sprintf("It is surely cart, for reason %d.", n)
		}, Status: "error"},
		"a question": {Reply: always("Which log do you mean? Please clarify."), Status: NeedsInput},
		"a question in a cell": {
			Reply: always("```go\nFINAL(\"Which log do you mean? Please clarify.\")\n```"), Status: NeedsInput,
		},
		"a refusal":           {Reply: always("I'm sorry, but I can't help with that."), Status: "refused"},
		"a refusal in a cell": {Reply: always("```go\nFINAL(\"I can't assist with that request.\")\n```"), Status: "refused"},
		"calls of a tool": {Reply: func(n int) string {
			return fmt.Sprintf(`{"tool":"go","code":"fmt.Println(%d)"}`, n)
		}, Status: "error_limit"},
		"failing cells": {Reply: failing, Status: "error_limit"},
		"failing cells, then a literal": {Reply: func(n int) string {
			if n == 5 {
				return "```go\nFINAL(\"auth 200\")\n```"
			}
			return failing(n)
		}, Status: "error_limit", Partial: "auth 200"},
	}
}

// Replies returns the model's replies to the first turns.
func (w Way) Replies() []string {
	out := make([]string, 12)
	for i := range out {
		out[i] = w.Reply(i)
	}
	return out
}
