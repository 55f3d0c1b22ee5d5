package termination

import (
	"github.com/gorlm/rlm/internal/answer"
)

// Action is the loop's next step.
type Action string

// The actions.
const (
	// Continue with another turn.
	Continue Action = "continue"
	// LastTurn: a limit is reached. The model is asked to answer now with what it has, and the next turn ends the
	// run in any case.
	LastTurn Action = "last_turn"
	// Stop ends the run.
	Stop Action = "stop"
)

// Verdict is the consequence of a turn for the run.
type Verdict struct {
	Action Action `json:"action"`
	// Nudges are remarks of guards to the model; each is an event.
	Nudges []Reminder `json:"nudges,omitempty"`
	// Ignored are signals that were seen but not counted; each is an event that the model sees.
	Ignored []IgnoredSignal `json:"ignored,omitempty"`
	// Limit is the limit that led to the last turn; nil unless Action is LastTurn.
	Limit *Limit `json:"limit,omitempty"`
	// End is how the run ended; nil unless Action is Stop.
	End *End `json:"end,omitempty"`
}

// Reminder is a remark of a guard.
type Reminder struct {
	Guard Guard `json:"guard"`
	// Text is complete, and addressed to the model.
	Text string `json:"text"`
}

// IgnoredSignal is a signal that was seen but not counted.
type IgnoredSignal struct {
	Signal string `json:"signal"`
	// Reason is a complete sentence, addressed to the model.
	Reason string `json:"reason"`
}

// End is how a run ended.
type End struct {
	Status Status `json:"status"`
	// Fired is the kind of trigger that ended the run, Name the particular one (FINAL, repeated_reply, the
	// sequence's name, token_limit, …).
	Fired Trigger `json:"fired"`
	Name  string  `json:"name,omitempty"`
	// Reason is one sentence for people.
	Reason string `json:"reason"`
	// Answer is the answer; HasAnswer distinguishes an empty answer from none.
	Answer    string     `json:"answer"`
	HasAnswer bool       `json:"has_answer"`
	From      AnswerFrom `json:"from,omitempty"`
	// Var is the variable from which the answer was taken, if any.
	Var string `json:"var,omitempty"`
	// Asks is what the model asks for, if the run ended with NeedsInput, or says, if it handed in that it declines.
	Asks string `json:"asks,omitempty"`
	// FinishStatus is the status in a task signal (done, partial, blocked).
	FinishStatus answer.FinishStatus `json:"finish_status,omitempty"`
	// Guess means that the answer was given before the text had been looked at, and that no cell computed it.
	Guess bool `json:"guess,omitempty"`
	// RequiresReview is set in task mode if there is an answer for a person to approve.
	RequiresReview bool `json:"requires_review,omitempty"`
}

// Trigger is the kind of event that ended a run: final, signal, stop, sequence, switch, prose, guard, limit,
// endpoint, error or interrupt.
type Trigger string

// The triggers, in order of precedence. Those that only this package sets are not exported.
const (
	ByFinal Trigger = "final" // FINAL or FINAL_VAR
	// finish_response, finish_task, a tool that is a completion signal, a string signal
	BySignal    Trigger = "signal"
	byStop      Trigger = "stop"      // an outside condition
	bySequence  Trigger = "sequence"  // a done sequence
	bySwitch    Trigger = "switch"    // single round, done-if-tool, done-if-(no-)response
	ByProse     Trigger = "prose"     // in a conversation: a reply of prose
	byGuard     Trigger = "guard"     // a guard
	ByLimit     Trigger = "limit"     // a budget or the turn limit
	ByEndpoint  Trigger = "endpoint"  // the model could not be reached, or the endpoint rejected the request
	ByError     Trigger = "error"     // any other failure
	ByInterrupt Trigger = "interrupt" // a person or the caller cancelled the run
)

// AnswerFrom is the source of an answer: final, variable, signal, text, reply, output, last_turn or partial.
type AnswerFrom string

// The sources of an answer. Those that only this package sets are not exported.
const (
	fromFinal    AnswerFrom = "final"     // FINAL(x) in a cell
	fromVariable AnswerFrom = "variable"  // FINAL_VAR in a cell
	fromSignal   AnswerFrom = "signal"    // the payload of a completion signal
	FromText     AnswerFrom = "text"      // a call in the prose of a reply
	FromReply    AnswerFrom = "reply"     // the prose of the last reply
	FromOutput   AnswerFrom = "output"    // what the last cell printed
	fromLastTurn AnswerFrom = "last_turn" // prose given in the turn after a limit
	FromPartial  AnswerFrom = "partial"   // the best partial answer
)
