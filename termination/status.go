package termination

import "github.com/gorlm/rlm/termination/answer"

// Mode decides which completion signals count.
type Mode = answer.Mode

const (
	// Response is a conversation: finish_response ends it.
	Response = answer.Response
	// Task is autonomous work: finish_task ends it and a person reviews.
	Task = answer.Task
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
