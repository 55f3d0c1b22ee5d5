package builtins

import (
	"slices"

	"github.com/gorlm/rlm/termination/answer"
)

// Names of implementations that other files and the runner refer to. Those of completion signals are in termination/answer, because
// replies are searched for them too.
const (
	ImplQuery        = "llm_query"
	ImplQueryBatched = "llm_query_batched"
	ImplQueryJSON    = "llm_query_json"
	ImplChild        = "rlm_query"
	ImplVars         = "SHOW_VARS"
	ImplGrep         = "grep"
	ImplChunks       = "chunks"
	ImplCite         = "cite"
	ImplTool         = "tool" // every tool of the host

	implAnswer = "answer"
	implShow   = "show"
)

// entry is one implementation: what its documentation says and how it is made. In the documentation {{self}} stands for
// the builtin's own name and {{impl}} for the name of another one; a line that mentions one which is not there is left out.
type entry struct {
	impl string
	doc  string
	make func(m *maker, name string) any
}

// entries lists all implementations, in the order in which they are documented.
func entries() []entry {
	return slices.Concat(modelEntries(), textEntries(), signalEntries())
}

func modelEntries() []entry {
	return []entry{
		{ImplQuery, `{{self}}(prompt string, opts ...Option) string
Asks a language model that sees nothing but the prompt, so put the text it has to read into it, and returns its reply. Panics when the call fails.`, (*maker).query},
		{ImplQueryBatched, `{{self}}(prompts []string, opts ...Option) []string
The same for many prompts at once; replies in the order of the prompts. A failed one leaves an error text in its position. Much faster than a loop.`, (*maker).queryBatched},
		{ImplQueryJSON, `{{self}}(prompt string, v any, opts ...Option)
Fills a variable (pass &v: a struct, a slice of structs, any Go value) from the reply. Its type is the schema: pointers are optional, constants of a named type are the allowed values, a tag description:"…" explains a field. A text field tagged cite:"true" is a verbatim quote: it has to stand in the prompt, and becomes the slice of context that it is. Panics, naming the field, when the reply does not fit.`, (*maker).queryJSON},
		{"llm_query_json_batched", `{{self}}(prompts []string, slice any, opts ...Option) []error
The same for many prompts at once: fills a slice (pass &results) with one value for each prompt; the error in the same position says which could not be filled.`, (*maker).queryJSONBatched},
		{"Model", `{{self}}(name string) Option
Option: which of the configured models answers.`, option(model)},
		{"System", `{{self}}(text string) Option
Option: a system message for the call.`, option(system)},
		{"Temperature", `{{self}}(t float64) Option
Option: how freely the model samples; 0 for facts.`, option(temperature)},
		{"MaxTokens", `{{self}}(n int) Option
Option: the longest reply, in tokens.`, option(maxTokens)},
		{"Source", `{{self}}(part ...any) Option
Option of {{llm_query_json}}: the slices of context that the prompt was made from; quotes are looked for there first.`, option(source)},
		{"Memo", `{{self}}() Option
Option: an identical earlier call may answer, at no cost.`, option(memo)},
		{ImplChild, `{{self}}(prompt string, context ...string) string
Gives the prompt and a context of its own (a part of yours costs no copy) to another model with a notebook like this one, and returns its answer. For parts that need more than one reading; {{llm_query}} is cheaper.`, (*maker).child},
		{"rlm_query_batched", `{{self}}(prompts []string, contexts ...string) []string
The same for many prompts at once, with one context for all or one for each (contexts...).`, (*maker).childBatched},
	}
}

func option(build func(name string) any) func(*maker, string) any {
	return func(_ *maker, name string) any { return build(name) }
}

func signalEntries() []entry {
	return []entry{
		{ImplVars, `{{self}}() string
Lists the variables of the notebook with type, size and a preview.`, (*maker).showVars},
		{answer.NameFinal, `{{self}}(answer any)
[COMPLETION SIGNAL] Gives the answer, a text or []byte as it is and any other value as JSON, and ends the run at once; nothing after it runs.`, (*maker).final},
		{answer.NameFinalVar, `{{self}}(name string)
[COMPLETION SIGNAL] Gives the value of the named variable as the answer and ends the run at once.`, (*maker).finalVar},
		{implAnswer, `{{self}} map[string]any
[COMPLETION SIGNAL] A variable to build the answer in over several cells: {{self}}["content"] is the answer so far, {{self}}["ready"] = true gives it when the cell ends.`, nil},
		{answer.NameResponse, `{{self}}(summary ...any)
[COMPLETION SIGNAL] Ends the conversation's turn with the given answer; without one, what your reply says around its cells is the answer.`, (*maker).finishResponse},
		{answer.NameTask, `{{self}}(summary any)
[COMPLETION SIGNAL] Ends the task and hands it over for review. A second argument says how it stands: "done" (without one), "partial" or "blocked".`, (*maker).finishTask},
		{answer.NameTaskAlias, "", (*maker).finishTask},
	}
}

// signals lists the implementations that end a run in a mode.
func signals(mode answer.Mode) []string {
	if mode == answer.Task {
		return []string{answer.NameFinal, answer.NameFinalVar, implAnswer, answer.NameTask, answer.NameTaskAlias}
	}
	return []string{answer.NameFinal, answer.NameFinalVar, implAnswer, answer.NameResponse}
}

// Standard is every builtin under its standard name, as a run of the given mode has them. The signal of the other mode is there
// too, so that a model which calls it is told instead of failing, but it does not count and is not documented. With a depth of
// 0 there are no child runs below, and the documentation of rlm_query says so.
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
