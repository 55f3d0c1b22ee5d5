package termination

import "github.com/gorlm/rlm/internal/sequence"

// Sequence ends a run when its patterns match the latest events of the run, one after another without gaps.
// ParseSequence makes one; in JSON it is its text or an object. Its fields:
//
//	Name     string    // appears in the verdict; by default the sequence's text
//	Patterns []Pattern // one for each event
type Sequence = sequence.Sequence

// ParseSequence parses the notation of a done sequence:
//
//	sequence = [ name ":" ] element { "," element }
//	element  = "T" | "T[" tool "]" | "A" | "L" | "U" | "N" | "C[" regexp "]"
//
// T is a reply that called a function, A an observation, L another reply, U a user's message, N an empty reply,
// and C any event whose content matches. Full words (TOOL, AGENT, LLM, USER, NO_RESPONSE, CONTENT) mean the same
// as their letters, in any case. Square brackets inside C[…] nest; a lone one is written \[ or \]. A sequence
// without a name is named after its text. An error shows the position of the mistake.
func ParseSequence(text string) (Sequence, error) { return sequence.Parse(text) }

// Entity is the author of a message.
type Entity = sequence.Entity

// The entities that a policy can wait for.
const (
	LLM   = sequence.LLM   // the model: its replies
	Agent = sequence.Agent // the notebook: its observations
)

// Events lists the events of a turn, in order: the reply (T, L or N), then the observation (A) if cells ran.
func (t Turn) Events() []sequence.Event {
	if t.isEmpty() {
		return []sequence.Event{{Type: sequence.NoResponse, Content: t.Reply.Text}}
	}
	reply := sequence.Event{Type: sequence.LLMEvent, Content: t.Reply.Text, Tools: t.called()}
	if len(reply.Tools) > 0 {
		reply.Type = sequence.ToolEvent
	}
	if len(t.ran()) == 0 {
		return []sequence.Event{reply}
	}
	return []sequence.Event{reply, {Type: sequence.AgentEvent, Content: t.Observation}}
}
