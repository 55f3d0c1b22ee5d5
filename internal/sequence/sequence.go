// Package sequence parses and matches done sequences, patterns over the events of a run. It works on events alone.
package sequence

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// EventType is the kind of an event of a run, as done sequences see it: one event per message.
type EventType string

// The event types. Reminders and other nudges are not events.
const (
	ToolEvent    EventType = "T" // a reply whose cells called a builtin or tool
	AgentEvent   EventType = "A" // an observation
	LLMEvent     EventType = "L" // a reply whose cells, if any, called none
	UserEvent    EventType = "U" // a user's message: the question, the note of a review
	NoResponse   EventType = "N" // an empty reply
	ContentMatch EventType = "C" // in patterns only: any event whose content matches
)

// Pattern is one element of a done sequence: it matches one event.
type Pattern struct {
	Type EventType `json:"event"`
	// Tool restricts T to replies whose cells called it.
	Tool string `json:"tool,omitempty"`
	// Content is the regular expression (RE2 syntax) of C. It searches the event's content ignoring case; (?-i)
	// makes it case-sensitive.
	Content string `json:"content,omitempty"`
	// Responder restricts the element to messages of one entity.
	Responder Entity `json:"responder,omitempty"`

	re *regexp.Regexp // compiled Content
}

// Sequence ends a run when its patterns match the latest events of the run, one after another without gaps.
type Sequence struct {
	// Name appears in the verdict. By default it is the sequence's text.
	Name     string    `json:"name"`
	Patterns []Pattern `json:"patterns"`
}

// maxPatterns is the maximal length of a sequence: its progress is one machine word.
const maxPatterns = 64

// Compile checks a sequence that was given as an object and prepares it for matching. The copy that it returns
// shares nothing with s.
func (s Sequence) Compile() (Sequence, error) {
	s.Patterns = slices.Clone(s.Patterns)
	if s.Name == "" {
		s.Name = s.String()
	}
	fail := func(i int, err error) (Sequence, error) {
		return Sequence{}, fmt.Errorf("done sequence %q, event %d: %w", s.Name, i+1, err)
	}
	if len(s.Patterns) == 0 {
		return Sequence{}, fmt.Errorf("done sequence %q has no events", s.Name)
	}
	if len(s.Patterns) > maxPatterns {
		return Sequence{}, fmt.Errorf(
			"done sequence %q has %d events; the maximum is %d", s.Name, len(s.Patterns), maxPatterns)
	}
	for i := range s.Patterns {
		if err := s.Patterns[i].compile(); err != nil {
			return fail(i, err)
		}
	}
	return s, nil
}

func (p *Pattern) compile() error {
	switch p.Responder {
	case "", LLM, Agent, User:
	default:
		return fmt.Errorf("unknown responder %q: use %s, %s or %s", p.Responder, LLM, Agent, User)
	}
	if p.Tool != "" && p.Type != ToolEvent {
		return fmt.Errorf("only %s may name a tool, not %s", ToolEvent, p.Type)
	}
	if p.Content != "" && p.Type != ContentMatch {
		return fmt.Errorf("only %s may have content, not %s", ContentMatch, p.Type)
	}
	switch p.Type {
	case ToolEvent, AgentEvent, LLMEvent, UserEvent, NoResponse:
		return nil
	case ContentMatch:
	default:
		return fmt.Errorf("unknown event %q: use T, A, L, U, N or C", p.Type)
	}
	if p.Content == "" {
		return errors.New("the event C needs the regular expression that the content is to match")
	}
	re, err := regexp.Compile("(?i)" + p.Content)
	if err != nil {
		return fmt.Errorf("the regular expression %q: %w", p.Content, err)
	}
	p.re = re
	return nil
}

// String is the sequence in the notation that Parse accepts (without responders).
func (s Sequence) String() string {
	parts := make([]string, len(s.Patterns))
	for i, p := range s.Patterns {
		parts[i] = string(p.Type)
		if arg := p.Tool + p.Content; arg != "" {
			parts[i] += "[" + arg + "]"
		}
	}
	return strings.Join(parts, ", ")
}

// UnmarshalJSON reads a sequence from its notation (a string) or from an object, so that one list can contain
// both.
func (s *Sequence) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		seq, err := Parse(text)
		if err == nil {
			*s = seq
		}
		return err
	}
	type object Sequence
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("reading a done sequence: %w", err)
	}
	seq, err := Sequence(o).Compile()
	if err == nil {
		*s = seq
	}
	return err
}

// UnmarshalText reads the letter of an event type or its full word (TOOL, AGENT, …), ignoring case.
func (t *EventType) UnmarshalText(text []byte) error {
	typ, ok := eventType(string(text))
	if !ok {
		return fmt.Errorf("unknown event %q: expected %s", text, eventList)
	}
	*t = typ
	return nil
}

const eventList = "T (TOOL), A (AGENT), L (LLM), U (USER), N (NO_RESPONSE) or C[…] (CONTENT[…])"

// eventType returns the event type for a word of the notation.
func eventType(word string) (EventType, bool) {
	switch strings.ToUpper(word) {
	case "T", "TOOL", "SPECIFIC_TOOL":
		return ToolEvent, true
	case "A", "AGENT", "AGENT_RESPONSE":
		return AgentEvent, true
	case "L", "LLM", "LLM_RESPONSE":
		return LLMEvent, true
	case "U", "USER", "USER_RESPONSE":
		return UserEvent, true
	case "N", "NO_RESPONSE", "NONE":
		return NoResponse, true
	case "C", "CONTENT", "CONTENT_MATCH":
		return ContentMatch, true
	}
	return "", false
}

// Entity is a participant in a run.
type Entity string

// The entities.
const (
	LLM   Entity = "llm"   // the model: its replies
	Agent Entity = "agent" // the notebook: its observations
	User  Entity = "user"  // a person: questions, notes of a review
)
