package termination

import (
	"fmt"

	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/internal/sequence"
)

// Policy decides when a run stops. It is a plain value; everything it knows about a run is in State.
type Policy struct {
	// Mode decides which signals count and which statuses a run can end with.
	Mode Mode `json:"mode"`
	// Names are the registered names of the builtins.
	Names reply.Names `json:"names"`
	// Interactive means a conversation with a person: in response mode, a reply of prose is the answer and ends the
	// run.
	Interactive bool `json:"interactive,omitempty"`

	// Example is an answer as a cell would write it, if answers must have a certain form; reminders show it.
	Example string `json:"example,omitempty"`

	// MaxTurns is the turn limit. Default 30; 0 means none.
	MaxTurns int `json:"max_turns"`
	// MaxErrors is the number of failing turns in a row that reaches the error limit. Default 5; 0 means none.
	MaxErrors int `json:"max_errors"`

	// The thresholds of the guards: how many turns of a kind in a row stop the run; 0 turns a guard off.

	// TrivialChars: a reply without cells and with fewer characters is trivial. Default 10.
	TrivialChars int `json:"trivial_chars"`
	// EmptyReplies counts empty or trivial replies. Default 3.
	EmptyReplies int `json:"empty_replies"`
	// SameReplies counts identical replies with identical outcomes. Default 3.
	SameReplies int `json:"same_replies"`
	// SameCells counts turns with the same cells and the same outcomes. Default 3.
	SameCells int `json:"same_cells"`
	// LoopRounds counts the rounds of an alternating loop (period 2 to 10). Default 3.
	LoopRounds int `json:"loop_rounds"`
	// ProseReplies counts replies without any cell; the last one becomes an implicit completion. Default 3.
	ProseReplies int `json:"prose_replies"`
	// Echoes counts replies that imitate observations and have no cell. Default 3.
	Echoes int `json:"echoes"`
	// ObservationMarks are the beginnings of lines that only observations have; a reply with such a line imitates
	// one.
	ObservationMarks []string `json:"observation_marks,omitempty"`

	// RequireEvidence sends an answer back, once, if no mark supports it or if it quotes something that is not in
	// the context; see SendBack.
	RequireEvidence bool `json:"require_evidence,omitempty"`
	// RequireGrounded gives a run the status NotGrounded if its answer does not rest on what the run has seen and
	// computed.
	RequireGrounded bool `json:"require_grounded,omitempty"`

	// SingleRound ends the run after the first turn.
	SingleRound bool `json:"single_round,omitempty"`
	// DoneIfTool ends the run after a turn whose cells called a builtin or tool.
	DoneIfTool bool `json:"done_if_tool,omitempty"`
	// DoneIfResponse ends the run when one of these entities responds, DoneIfNoResponse when it does not. The
	// question that opens a run is not a response.
	DoneIfResponse   []Entity `json:"done_if_response,omitempty"`
	DoneIfNoResponse []Entity `json:"done_if_no_response,omitempty"`
	// StringSignals are words that end the run at the start or the end of a line of prose. None by default: models
	// use "DONE" for other things.
	StringSignals []string `json:"string_signals,omitempty"`
	// Sequences are done sequences; the first in the list that matches wins.
	Sequences []Sequence `json:"sequences,omitempty"`
}

// DefaultPolicy has every threshold at its documented default.
func DefaultPolicy(m Mode) Policy {
	return Policy{
		Mode:         m,
		Names:        reply.DefaultNames(),
		MaxTurns:     30,
		MaxErrors:    5,
		TrivialChars: 10,
		EmptyReplies: 3,
		SameReplies:  3,
		SameCells:    3,
		LoopRounds:   3,
		ProseReplies: 3,
		Echoes:       3,
	}
}

// Guard is the name of a guard in events and results. The README of this package lists the guards.
type Guard string

// The guards, in order of precedence.
const (
	guardWithheld      Guard = "withheld_reply"
	guardEmpty         Guard = "empty_reply"
	guardEcho          Guard = "echoed_observation"
	guardRepeatedReply Guard = "repeated_reply"
	guardRepeatedCell  Guard = "repeated_cell"
	guardLoop          Guard = "alternating_loop"
	guardProse         Guard = "prose_only"
	guardErrors        Guard = "consecutive_errors"
	guardLook          Guard = "look_first" // this and the next two send an answer back
	guardEvidence      Guard = "required_evidence"
	guardGrounding     Guard = "grounding"
)

// Begin returns the state of a fresh run. It fails if the policy cannot work: a sequence that does not compile or
// can never match, no completion signal, an unknown mode or entity.
func (p Policy) Begin(question string) (State, error) {
	if p.Mode != Response && p.Mode != Task {
		return State{}, fmt.Errorf("unknown mode %q: use %s or %s", p.Mode, Response, Task)
	}
	if err := check(p.Names, p.Mode); err != nil {
		return State{}, err
	}
	for _, e := range append(append([]Entity{}, p.DoneIfResponse...), p.DoneIfNoResponse...) {
		if e != LLM && e != Agent && e != sequence.User {
			return State{}, fmt.Errorf("unknown entity %q: use %s, %s or %s", e, LLM, Agent, sequence.User)
		}
	}
	m, err := sequence.NewMatcher(p.Sequences)
	if err != nil {
		return State{}, err
	}
	if err := m.Check(); err != nil {
		return State{}, err
	}
	m.Observe(sequence.Event{Type: sequence.UserEvent, Content: question})
	return State{Sequences: m.Matched()}, nil
}

// Abort ends a run outside of a turn: the endpoint failed, the run was interrupted, or a limit left no room for a
// last turn. The best partial answer is kept.
func (p Policy) Abort(s State, by Trigger, status Status, reason string) Verdict {
	name := string(by)
	if by == ByLimit {
		name = string(status)
	}
	return p.stop(p.partial(s, End{Status: status, Fired: by, Name: name, Reason: reason}))
}

// partial returns e, with the best partial answer if e has none.
func (p Policy) partial(s State, e End) End {
	if answer, ok := s.Partial(); ok && !e.HasAnswer {
		e.Answer, e.HasAnswer, e.From = answer, true, FromPartial
	}
	return e
}

func (p Policy) stop(e End) Verdict {
	e.RequiresReview = p.Mode == Task && (e.Status == PendingReview || e.Status == ImplicitCompletion)
	return Verdict{Action: Stop, End: &e}
}

// completed returns the status of a run that completed.
func (p Policy) completed() Status {
	if p.Mode == Task {
		return PendingReview
	}
	return Completed
}

// turnLimit returns the status of a run that used up its turns.
func (p Policy) turnLimit() Status {
	if p.Mode == Task {
		return IterationsExceeded
	}
	return MaxIterations
}
