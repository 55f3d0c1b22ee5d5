package builtins

import (
	"slices"

	"github.com/gorlm/rlm/internal/answer"
)

// Names of implementations to which other files and the runner refer. Those of completion signals are in
// internal/answer, because replies are searched for them too.
const (
	ImplQuery        = "llm_query"
	ImplQueryBatched = "llm_query_batched"
	ImplQueryJSON    = "llm_query_json"
	ImplJudge        = "judge"
	ImplChild        = "rlm_query"
	ImplVars         = "SHOW_VARS"
	ImplGrep         = "grep"
	ImplChunks       = "chunks"
	ImplCite         = "cite"
	ImplTool         = "tool" // any tool of the host

	implAnswer = "answer"
	implShow   = "show"
)

// entry is one implementation: its documentation and its constructor. In the documentation {{self}} is the
// builtin's own name and {{impl}} the name of another one; a line that mentions a missing builtin is left out.
type entry struct {
	impl string
	use  use
	doc  string
	make func(m *factory, name string) any
}

// use is how much of a builtin's documentation prompts contain.
type use int

const (
	usual use = iota // the signature and the next line
	key              // the same, even if the window is small
	spare            // only the signature
)

// entries lists all implementations, in the order of the documentation.
func entries() []entry {
	return slices.Concat(modelEntries(), textEntries(), signalEntries())
}

func modelEntries() []entry {
	return []entry{
		{ImplQuery, key, `{{self}}(prompt string, opts ...Option) string
Asks a model that sees the prompt alone. Panics when the call fails.`, (*factory).query},
		{ImplQueryBatched, key, `{{self}}(prompts []string, opts ...Option) []string
The same for many prompts at once, far faster than a loop; a failed one leaves an error text in its place.`, (*factory).queryBatched},
		{ImplQueryJSON, key, `{{self}}(prompt string, v any, opts ...Option)
Fills a variable (&v: any Go value) from the reply. Its type is the form: pointers are optional, constants of a named type are the allowed values, a tag description:"…" explains a field; text tagged cite:"true" has to stand in the prompt and becomes that slice of context.
Panics, naming the field, when the reply does not fit.`, (*factory).queryJSON},
		{"llm_query_json_batched", usual, `{{self}}(prompts []string, slice any, opts ...Option) []error
The same for many prompts: fills a slice (&results); the error in the same place says which could not be filled.
A note says which numbered items of a prompt its reply leaves out.`, (*factory).queryJSONBatched},
		{ImplJudge, key, `{{self}}(items []string, question string, labels []string, options ...any) Verdicts
Which label fits each item, asked twice in other words, differences settled by a third asking: Verdicts{Labels []string; Counts map[string]int; Disagreements, Missing []int; ErrorRate float64}. Labels has one for each item, "" where it is missing. Options: votes (3; 1 asks once).
It numbers the items, at most 100 a prompt, and asks again for those that a reply leaves out. ErrorRate is an estimate: errors that all askings share are not seen.
Further options are those of {{llm_query}}.`, (*factory).judge},
		{"Model", spare, `{{self}}(name string) Option
Option: which of the configured models answers.`, option(model)},
		{"System", spare, `{{self}}(text string) Option
Option: a system message for the call.`, option(system)},
		{"Temperature", spare, `{{self}}(t float64) Option
Option: how freely the model samples; 0 for facts.`, option(temperature)},
		{"MaxTokens", spare, `{{self}}(n int) Option
Option: the longest reply, in tokens.`, option(maxTokens)},
		{"Source", spare, `{{self}}(part ...any) Option
Option of {{llm_query_json}}: the slices of context that the prompt was made from; quotes are looked for there first.`, option(source)},
		{"Memo", spare, `{{self}}() Option
Option: an identical earlier call may answer, at no cost.`, option(memo)},
		{ImplChild, usual, `{{self}}(prompt string, context ...string) string
Gives the prompt and a context of its own (a part of yours costs no copy) to a model with a notebook like this one, for parts that need several readings.
{{llm_query}} is cheaper.`, (*factory).child},
		{"rlm_query_batched", spare, `{{self}}(prompts []string, contexts ...string) []string
The same for many prompts at once, with one context for all or one for each (contexts...).`, (*factory).childBatched},
	}
}

func option(build func(name string) any) func(*factory, string) any {
	return func(_ *factory, name string) any { return build(name) }
}

func signalEntries() []entry {
	return []entry{
		{ImplVars, spare, `{{self}}() string
Lists the variables of the notebook with type, size and a preview.`, (*factory).showVars},
		{answer.NameFinal, usual, `{{self}}(answer any)
[COMPLETION SIGNAL] Gives the answer, a text as it is and any other value as JSON, and ends the run at once.`, (*factory).final},
		{answer.NameFinalVar, usual, `{{self}}(name string)
[COMPLETION SIGNAL] Gives the value of the named variable as the answer and ends the run at once.`, (*factory).finalVar},
		{implAnswer, usual, `{{self}} map[string]any
[COMPLETION SIGNAL] A variable to build the answer in over several cells: {{self}}["content"] is the answer so far, {{self}}["ready"] = true gives it when the cell ends.`, nil},
		{answer.NameResponse, usual, `{{self}}(summary ...any)
[COMPLETION SIGNAL] Ends the conversation's turn with the given answer; without one, what your reply says around its cells is the answer.`, (*factory).finishResponse},
		{answer.NameTask, usual, `{{self}}(summary any)
[COMPLETION SIGNAL] Ends the task and hands it over for review. A second argument says how it stands: "done" (without one), "partial" or "blocked".`, (*factory).finishTask},
		{answer.NameTaskAlias, usual, "", (*factory).finishTask},
	}
}

// signals lists the implementations that end a run in a mode.
func signals(mode answer.Mode) []string {
	if mode == answer.Task {
		return []string{answer.NameFinal, answer.NameFinalVar, implAnswer, answer.NameTask, answer.NameTaskAlias}
	}
	return []string{answer.NameFinal, answer.NameFinalVar, implAnswer, answer.NameResponse}
}

// Standard returns every builtin under its standard name, as in a run of the given mode. The signal of the other
// mode is included, so that calling it gives advice instead of an error, but it does not count and is not
// documented. A depth of 0 means that there are no child runs below, and the documentation of rlm_query says so.
func Standard(mode answer.Mode, depth ...int) []Spec {
	var specs []Spec
	for _, e := range entries() {
		s := Spec{Name: e.impl, Impl: e.impl, Signal: slices.Contains(signals(mode), e.impl)}
		if e.impl == ImplChild && len(depth) > 0 && depth[0] <= 0 {
			s.Doc = "{{self}}(prompt string, context ...string) string\nAt this depth no further child run is made: {{llm_query}} answers, from the prompt followed by the context."
		}
		specs = append(specs, s)
	}
	return specs
}
