package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Failure is the error of a request, in the form of OpenAI's errors.
type Failure struct {
	Status  int
	Type    string // default: depends on Status
	Code    string
	Param   string // the field of the request that is wrong
	Message string
	After   time.Duration // how long to wait before a retry
	Once    bool          // tells clients not to retry, because that would cost money again
	about   *about        // the run that failed
}

func (f *Failure) Error() string { return f.Message }

// wrong returns a failure caused by a field of the request.
func wrong(param, message string) error {
	return &Failure{Status: http.StatusBadRequest, Param: param, Message: message}
}

// notHonoured returns a failure for a field or an item that the endpoint knows but does not support.
func notHonoured(param, why string) error {
	return &Failure{
		Status: http.StatusBadRequest, Code: "unsupported_parameter", Param: param,
		Message: "'" + param + "' is not supported: " + why,
	}
}

// errorObject is an error in the form that clients receive.
type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (f *Failure) object() errorObject {
	out := errorObject{Message: f.Message, Type: f.Type}
	if f.Param != "" {
		out.Param = &f.Param
	}
	if f.Code != "" {
		out.Code = &f.Code
	}
	if out.Type != "" {
		return out
	}
	switch {
	case f.Status == http.StatusUnauthorized:
		out.Type = "authentication_error"
	case f.Status == http.StatusForbidden:
		out.Type = "permission_error"
	case f.Status == http.StatusTooManyRequests:
		out.Type = "rate_limit_error"
	case f.Status >= http.StatusInternalServerError:
		out.Type = "server_error"
	default:
		out.Type = "invalid_request_error"
	}
	return out
}

// Refuse sends an error response in the form of OpenAI's errors.
func Refuse(w http.ResponseWriter, err error) {
	f := failureOf(err)
	if f.After > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.After.Seconds()))))
	}
	if f.Once {
		w.Header().Set("X-Should-Retry", "false")
	}
	send(w, f.Status, f.body())
}

// failureBody is the body of an error response.
type failureBody struct {
	Error errorObject `json:"error"`
	RLM   *about      `json:"rlm,omitempty"`
}

func (f *Failure) body() failureBody { return failureBody{f.object(), f.about} }

// send sends a value as JSON.
func send(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(
			`{"error":{"message":"the answer cannot be encoded","type":"server_error","param":null,"code":null}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)+1)) // marks the end even if the request is still being read
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // fails only if the client is gone
}

// failureOf converts an error to the failure that clients receive.
func failureOf(err error) *Failure {
	var f *Failure
	var refused *session.Error
	var locked *trajectory.LockedError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &refused) && refused.After > 0:
		code := "rate_limit_exceeded"
		if refused.Day {
			code = "insufficient_quota"
		}
		return &Failure{Status: http.StatusTooManyRequests, Code: code, Message: refused.Message, After: refused.After}
	case session.Is(err, "token"):
		return &Failure{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: err.Error(), Once: true}
	case session.Is(err, session.Busy), errors.Is(err, runner.ErrBusy), errors.As(err, &locked):
		return &Failure{Status: http.StatusConflict, Code: "conversation_locked", Message: err.Error(), Once: true}
	case session.Is(err, session.TooLarge):
		return &Failure{Status: http.StatusRequestEntityTooLarge, Code: "disk_limit", Message: err.Error(), Once: true}
	case session.ErrorOf(err).Code == session.DiskFull:
		return &Failure{
			Status: http.StatusInternalServerError, Code: "disk_full", Once: true,
			Message: session.ErrorOf(err).Message,
		}
	case errors.As(err, &large):
		return &Failure{
			Status: http.StatusRequestEntityTooLarge, Code: "request_too_large",
			Message: "the request is too large; upload large texts with /v1/files",
		}
	case errors.Is(err, session.ErrClosing):
		return &Failure{Status: http.StatusServiceUnavailable, Message: err.Error(), After: time.Second}
	case errors.Is(err, session.ErrOther):
		return &Failure{
			Status: http.StatusBadRequest, Type: "idempotency_error", Code: "idempotency_key_in_use",
			Message: err.Error(),
		}
	case errors.Is(err, session.ErrStopped), errors.Is(err, context.Canceled):
		return &Failure{
			Status: http.StatusConflict, Code: "cancelled",
			Message: "the run was stopped; if the request had an Idempotency-Key, send it again with the same key to continue",
			Once:    true,
		}
	}
	return &Failure{Status: http.StatusInternalServerError, Message: session.WithoutFolders(err), Once: true}
}

// failed returns why a run ended without a valid answer; nil if it has one, and for filtered replies and refusals,
// for which OpenAI's API has other forms than errors.
func failed(end trajectory.RunEnded) *Failure {
	if filtered(end) || refusal(end) != nil {
		return nil
	}
	by := termination.Trigger(end.EndedBy)
	switch (termination.End{
		Status: termination.Status(end.Status), Fired: by, HasAnswer: end.HasAnswer,
		Guess: end.Guess,
	}).ExitCode() {
	case exitcode.Answered:
		return nil
	case exitcode.Interrupted:
		return failureOf(session.ErrStopped)
	case exitcode.Endpoint:
		return ofModel(llm.ErrorKind(end.ErrorKind), end.Reason, end.Err)
	case exitcode.Failed:
		return &Failure{
			Status: http.StatusInternalServerError, Code: end.Status,
			Message: "the run failed: " + end.Reason, Once: true,
		}
	}
	message := "the run ended without an answer"
	if end.HasAnswer {
		message = "the answer is not reliable"
	}
	message += ": " + end.Reason
	if end.HasAnswer && !strings.HasSuffix(message, end.Answer) {
		message += "; its result so far: " + text.Short(end.Answer, mostReached)
	} else if said := strings.TrimSpace(reply.Parse(end.Reply, reply.Names{}, false).Prose); !end.HasAnswer &&
		said != "" && !strings.HasSuffix(message, said) {
		message += "; the model's last words: " + text.Short(said, mostReached)
	}
	return &Failure{Status: http.StatusUnprocessableEntity, Code: end.Status, Message: message, Once: true}
}

// filtered reports whether the run ended because a content filter cut or withheld its replies.
func filtered(end trajectory.RunEnded) bool { return end.Status == string(termination.ContentFilter) }

// refusal returns the model's reply if it refused to answer, or nil.
func refusal(end trajectory.RunEnded) *string {
	if end.Status != string(termination.Refused) {
		return nil
	}
	return &end.Reply
}

// mostReached is the maximum number of bytes of a run's result that a failure quotes.
const mostReached = 2000

// ofModel returns the failure for a failed call of a model. Clients should not retry it, because the call has
// already been retried here.
func ofModel(kind llm.ErrorKind, reason string, err error) *Failure {
	f := &Failure{
		Status: http.StatusBadGateway, Code: "model_" + string(kind),
		Message: "the model behind this endpoint failed: " + reason, Once: true,
	}
	switch kind {
	case llm.ErrRateLimit:
		f.Status, f.Code, f.After = http.StatusTooManyRequests, "rate_limit_exceeded", 20*time.Second
		if call, ok := errors.AsType[*llm.Error](err); ok {
			f.After = cmp.Or(call.Wait, f.After)
		}
	case llm.ErrQuota:
		f.Status, f.Type, f.Code = http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota"
	case llm.ErrContextTooLong:
		f.Status, f.Code = http.StatusBadRequest, "context_length_exceeded"
	case llm.ErrContentFilter:
		f.Status, f.Code = http.StatusBadRequest, "content_filter"
	case llm.ErrUnavailable:
		f.Status = http.StatusServiceUnavailable
	}
	return f
}
