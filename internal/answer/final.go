package answer

// FinalType is how an answer was given.
type FinalType string

const (
	// Direct is FINAL(x): the value itself.
	Direct FinalType = "direct"
	// Variable is FINAL_VAR("name"): the value of a notebook variable.
	Variable FinalType = "variable"
)

// FinalOutput is the answer that a cell gave. The builtin records it with the host before it panics with the
// cell's Sentinel.
type FinalOutput struct {
	Type FinalType `json:"type"`
	// Answer is the formatted answer (Format), the text that a person reads.
	Answer string `json:"answer"`
	// Var is the variable's name; empty unless Type is Variable.
	Var string `json:"var,omitempty"`
	// Signal is the name of the builtin or tool that recorded the answer, as the notebook knows it (FINAL,
	// FINAL_VAR, finish_response, finish_task, or a tool registered as a completion signal).
	Signal string `json:"signal"`
	// Status is the finish status of a task signal (done, partial, blocked); empty otherwise.
	Status FinishStatus `json:"status,omitempty"`
}

// Mode decides which completion signals give a run's answer.
type Mode string

const (
	// Response is a conversation: finish_response ends it.
	Response Mode = "response"
	// Task is autonomous work: finish_task ends it and a person reviews the result.
	Task Mode = "task"
)

// FinishStatus is the state of the work according to a task signal.
type FinishStatus string

// The finish statuses of a task.
const (
	Done    FinishStatus = "done"
	Partial FinishStatus = "partial"
	Blocked FinishStatus = "blocked"
)
