package termination

// FinalType says how an answer was given.
type FinalType string

const (
	// Direct is FINAL(x): the value itself.
	Direct FinalType = "direct"
	// Variable is FINAL_VAR("name"): the value of a notebook variable.
	Variable FinalType = "variable"
)

// FinalOutput is the answer that a cell recorded. The notebook records it and then unwinds the
// cell; it is the value carried by the sentinel.
type FinalOutput struct {
	Type FinalType `json:"type"`
	// Answer is the formatted answer (FormatAnswer), the text a person reads.
	Answer string `json:"answer"`
	// Var is the variable's name; empty unless Type is Variable.
	Var string `json:"var,omitempty"`
	// Signal is the name of the builtin or tool that recorded the answer as the notebook knows it
	// (FINAL, FINAL_VAR, finish_response, finish_task, or a tool registered as a completion signal).
	Signal string `json:"signal"`
	// Status is the finish status of a task signal (done, partial, blocked); empty otherwise.
	Status FinishStatus `json:"status,omitempty"`
}

// FinishStatus is what a task signal says about the work.
type FinishStatus string

// The finish statuses of a task.
const (
	Done    FinishStatus = "done"
	Partial FinishStatus = "partial"
	Blocked FinishStatus = "blocked"
)

// Mode decides which completion signals count.
type Mode string

const (
	// Response is a conversation: finish_response ends it.
	Response Mode = "response"
	// Task is autonomous work: finish_task ends it and a person reviews.
	Task Mode = "task"
)

// Status is how a run ended.
type Status string

// The statuses a run can end with.
const (
	Completed          Status = "completed"
	PendingReview      Status = "pending_review"
	ImplicitCompletion Status = "implicit_completion"
	MaxIterations      Status = "max_iterations"
	IterationsExceeded Status = "iterations_exceeded"
	Stopped            Status = "stopped"
	Failed             Status = "error"
	EmptyResponseError Status = "llm_empty_response_error"
	TokenLimit         Status = "token_limit"
	CostLimit          Status = "cost_limit"
	TimeLimit          Status = "time_limit"
	SubCallLimit       Status = "sub_call_limit"
	DepthLimit         Status = "depth_limit"
	ErrorLimit         Status = "error_limit"
)
