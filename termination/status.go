package termination

import "github.com/gorlm/rlm/internal/answer"

// Mode decides which completion signals count.
type Mode = answer.Mode

const (
	// Response is a conversation: finish_response ends it.
	Response = answer.Response
	// Task is autonomous work: finish_task ends it and a person reviews the result.
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
	NeedsInput         Status = "needs_input"      // the model asks instead of answering; its reply is the question
	EvidenceMissing    Status = "evidence_missing" // there is an answer, but the required evidence is missing
	NotGrounded        Status = "not_grounded"     // an answer with values that nothing in the run supports
	ContentFilter      Status = "content_filter"   // a content filter of the endpoint cut or withheld the replies
	Refused            Status = "refused"          // the model declines; its reply explains why
)
