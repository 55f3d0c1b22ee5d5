package builtins

import (
	"fmt"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
)

func (m *factory) query(name string) any {
	return func(site *repl.Site, prompt string, opts ...Option) string {
		return string(m.one(site, name, m.llmCall(name, prompt, opts, nil)))
	}
}

func (m *factory) queryBatched(name string) any {
	return func(site *repl.Site, prompts []string, opts ...Option) []string {
		return m.batchTexts(site, name, len(prompts), func(i int) Call {
			return m.llmCall(name, prompts[i], opts, nil)
		})
	}
}

func (m *factory) child(name string) any {
	return func(site *repl.Site, prompt string, context ...string) string {
		return string(m.one(site, name, Call{Impl: ImplChild, Body: []byte(prompt), Text: context}))
	}
}

func (m *factory) childBatched(name string) any {
	return func(site *repl.Site, prompts []string, contexts ...string) []string {
		if n := len(contexts); n > 1 && n != len(prompts) {
			panic(failed(name, "%s and %s; give none, one for all, or one for each prompt",
				units.Of(len(prompts), "prompt"), units.Of(n, "context")))
		}
		return m.batchTexts(site, name, len(prompts), func(i int) Call {
			text := contexts
			if len(contexts) > 1 {
				text = contexts[i : i+1]
			}
			return Call{Impl: ImplChild, Body: []byte(prompts[i]), Text: text}
		})
	}
}

// batchTexts makes n calls; a failed one leaves an error text in its position and a line in the observation.
func (m *factory) batchTexts(site *repl.Site, name string, n int, call func(i int) Call) []string {
	replies, errs := m.many(site, n, call)
	texts := make([]string, n)
	for i := range texts {
		if errs[i] != nil {
			texts[i] = fmt.Sprintf("[error: %s failed for prompt %d: %s]", name, i, reason(errs[i]))
			continue
		}
		texts[i] = string(replies[i])
	}
	noteFailures(site, name, errs)
	return texts
}

// llmCall returns a sub-call of the model; bad options panic before anything is sent.
func (m *factory) llmCall(name, prompt string, opts []Option, format *Format) Call {
	options, err := encode(opts, format)
	if err != nil {
		panic(failed(name, "%w", err))
	}
	return Call{Impl: ImplQuery, Options: options, Body: []byte(prompt)}
}
