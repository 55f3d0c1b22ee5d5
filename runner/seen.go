package runner

import (
	"slices"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// seen is what cells see besides variables and functions.
type seen struct {
	context sandbox.Context
	history []string
}

// changes finds the cells of the root before which the context or the history changed, and what they saw.
func changes(events []trajectory.Event, texts map[string]*corpus.Text) map[int]seen {
	before := map[int]seen{}
	var now seen
	var question string
	first, changed := true, false
	for _, ev := range events {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.ContextAdded:
			now.context = whole(texts[d.Hash])
			changed, first = changed || !first, false
		case trajectory.RunStarted:
			question = d.Question
			changed = changed || len(now.history) > 0
		case trajectory.RunEnded:
			if d.HasAnswer {
				now.history = append(slices.Clone(now.history), exchange(question, d.Answer)...)
			}
		case trajectory.CellStarted:
			if changed {
				before[d.Cell] = now
			}
			changed = false
		}
	}
	return before
}

// firstContext is what the first cell of a session saw.
func firstContext(events []trajectory.Event, texts map[string]*corpus.Text) sandbox.Context {
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.ContextAdded); ok && ev.Path == "" {
			return whole(texts[d.Hash])
		}
	}
	return sandbox.Context{}
}

// exchange is a question with its answer as cells see it in history.
func exchange(question, answer string) []string {
	return []string{"Question: " + question, "Answer: " + answer}
}
