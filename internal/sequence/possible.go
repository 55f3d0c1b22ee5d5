package sequence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Check reports why a sequence can never match: it names a tool that does not exist, or events that cannot follow
// each other in a run. tools are the builtins and tools that cells can call; nil if they are unknown.
func (s Sequence) Check(tools []string) error {
	for _, p := range s.Patterns {
		if p.Tool != "" && tools != nil && !slices.Contains(tools, p.Tool) {
			return fmt.Errorf("done sequence %q can never match: there is no tool %s%s", s.Name, p.Tool,
				instead(p.Tool, tools))
		}
	}
	var possible []EventType
	for i, p := range s.Patterns {
		now := p.types()
		if i > 0 {
			now = slices.DeleteFunc(now, func(t EventType) bool {
				return !slices.ContainsFunc(
					possible, func(before EventType) bool { return slices.Contains(follows[before], t) })
			})
		}
		if len(now) == 0 {
			return fmt.Errorf("done sequence %q can never match: no event of a run can be its event %d, %s", s.Name,
				i+1, Sequence{Patterns: s.Patterns[i : i+1]})
		}
		possible = now
	}
	return nil
}

// follows lists the events that may come after an event: after a reply that called a tool comes an observation,
// and a user's message only begins a run.
var follows = map[EventType][]EventType{
	UserEvent:  {ToolEvent, LLMEvent, NoResponse},
	ToolEvent:  {AgentEvent},
	LLMEvent:   {AgentEvent, ToolEvent, LLMEvent, NoResponse},
	AgentEvent: {ToolEvent, LLMEvent, NoResponse},
	NoResponse: {ToolEvent, LLMEvent, NoResponse},
}

// types returns the events that a pattern can match.
func (p Pattern) types() []EventType {
	all := []EventType{UserEvent, ToolEvent, LLMEvent, AgentEvent, NoResponse}
	return slices.DeleteFunc(all, func(t EventType) bool {
		return p.Type != ContentMatch && p.Type != t || p.Responder != "" && p.Responder != (Event{Type: t}).Responder()
	})
}

func instead(name string, tools []string) string {
	if closest := text.Closest(name, tools); closest != "" {
		return "; did you mean " + closest + "?"
	}
	return "; there are " + strings.Join(tools, ", ")
}
