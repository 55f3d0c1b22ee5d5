package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// failure is an error of an endpoint or of the network, before it is classified.
type failure struct {
	status  int
	codes   []string      // "context_length_exceeded", "insufficient_quota", …, from the outside in
	param   string        // the request parameter at fault
	message string        // as the endpoint wrote it
	err     error         // a network error, if it was one
	wait    time.Duration // before a retry, according to the body; 0: not stated
	atOnce  bool          // the call may be retried immediately
	final   bool          // the endpoint reports that another try will not help
	unsaid  bool          // status does not come from the endpoint, which sent 2xx
	request string        // the endpoint's id of the request, from a header; "" if none
	calls   string        // tool calls, instead of a reply
	thought string        // thoughts, instead of a reply
	as      ErrorKind     // kind of failure, if it needs no classification
}

func (f failure) Error() string { return f.message }

// kind classifies a failure by what a person can do about it: by its codes first, then by its status and whether
// it asks to wait, and last by its words, since endpoints at best agree on the status.
func (f failure) kind() ErrorKind {
	if f.as != "" {
		return f.as
	}
	if f.status == http.StatusRequestEntityTooLarge { // Groq calls it a rate limit
		return ErrContextTooLong
	}
	if f.unsaid {
		f.status = 0
	}
	known := knownForms()
	words := strings.ToLower(strings.Join(f.codes, " ") + " " + f.message)
	// llama.cpp reports a full context as server_error.
	full := f.status == http.StatusInternalServerError && known.holds(words, "context_too_long")
	if kind, ok := f.coded(); ok && !(full && kind == ErrUnavailable) {
		return kind
	}
	switch f.status {
	case http.StatusTooManyRequests:
		quota := known.holds(words, "quota") || known.holds(words, "quota_perhaps") && !known.holds(words, "rate_limit")
		if quota && f.wait == 0 { // Gemini reports a limit per minute as a quota
			return ErrQuota
		}
		return ErrRateLimit
	case http.StatusPaymentRequired:
		return ErrQuota
	}
	if f.status < 500 && known.holds(words, "content_filter") {
		return ErrContentFilter
	}
	if (f.status == 0 || f.status == http.StatusForbidden) && known.holds(words, "quota") ||
		f.status == http.StatusBadRequest && strings.Contains(words, "credit balance") { // Anthropic's wording
		return ErrQuota
	}
	if f.status == http.StatusUnauthorized || f.status == http.StatusForbidden {
		return ErrAuth
	}
	if known.holds(words, "context_too_long") {
		return ErrContextTooLong
	}
	if f.status == 0 && known.holds(words, "rate_limit") {
		return ErrRateLimit
	}
	if (f.status == 0 || f.status == http.StatusBadRequest) && known.holds(words, "auth") {
		return ErrAuth
	}
	if f.status == 0 || f.status == http.StatusRequestTimeout || f.status == http.StatusConflict || f.status >= 500 {
		return ErrUnavailable
	}
	return ErrBadRequest
}

// coded is the kind given by the codes of a failure, the innermost first. A code for a broken server is skipped if
// the status is below 500, unless the code contains "overloaded".
func (f failure) coded() (ErrorKind, bool) {
	for _, code := range slices.Backward(f.codes) {
		code = strings.ToLower(code)
		code = code[strings.LastIndexByte(code, '#')+1:] // such as com.amazon…#ThrottlingException
		kind, ok := knownForms().codes[code]
		if !ok || kind == ErrUnavailable && f.status != 0 && f.status < 500 && !strings.Contains(code, "overloaded") {
			continue
		}
		return kind, true
	}
	return "", false
}

func contains(text string, any []string) bool {
	return slices.ContainsFunc(any, func(w string) bool { return strings.Contains(text, w) })
}

// temporary reports whether a retry can help.
func (f failure) temporary() bool {
	if f.final {
		return false
	}
	switch f.kind() {
	case ErrRateLimit, ErrUnavailable, ErrNoReply, ErrThoughtsOnly:
		return f.status != http.StatusNotImplemented
	default:
		return false
	}
}

// most is how many of some tries are made: thoughts alone are paid for, and seldom end otherwise.
func (f failure) most(tries int) int {
	if f.as == ErrThoughtsOnly {
		return min(tries, 2)
	}
	return tries
}

// failed converts the last failure of a call to an error, whose message is one line: what happened and what to do.
func (c *Client) failed(f failure, tries int) *Error {
	kind := f.kind()
	text := c.headline(kind, f.status)
	var answer []string
	if f.status != 0 {
		answer = append(answer, fmt.Sprintf("HTTP %d", f.status))
	}
	if f.request != "" {
		answer = append(answer, "request "+c.hide.line(f.request))
	}
	if len(answer) > 0 {
		text += " (" + strings.Join(answer, ", ") + ")"
	}
	if tries > 1 {
		text += fmt.Sprintf(" after %d attempts", tries)
	}
	if said := c.hide.line(f.message); said != "" {
		text += ": " + said
	}
	return &Error{
		Kind: kind, Status: f.status, Message: text + c.hint(f, kind), Err: networkCause(f.err), Wait: f.wait,
		Calls: f.calls, Thoughts: f.thought,
	}
}

// hint suggests a profile setting for a model whose endpoint refuses a parameter, "" for other failures.
func (c *Client) hint(f failure, kind ErrorKind) string {
	if kind != ErrBadRequest {
		return ""
	}
	words := strings.ToLower(f.message + " " + f.param)
	for setting, missing := range map[string]string{"temperature": lacksTemperature, "reasoning_effort": lacksEffort} {
		if strings.Contains(words, setting) {
			return fmt.Sprintf("; leave it out, or set missing = [%q] in the model's profile", missing)
		}
	}
	return ""
}

// headline describes a kind of failure, without the endpoint's own message.
func (c *Client) headline(kind ErrorKind, status int) string {
	switch kind {
	case ErrAuth:
		if c.key.Empty() {
			return fmt.Sprintf("the model endpoint %s needs an API key, but none is set", c.where)
		}
		return fmt.Sprintf("the model endpoint %s refused the API key", c.where)
	case ErrQuota:
		return fmt.Sprintf("the account at %s has no quota or credit left", c.where)
	case ErrRateLimit:
		return fmt.Sprintf("the model endpoint %s is limiting the rate of calls", c.where)
	case ErrContextTooLong:
		return fmt.Sprintf("the prompt is too long for model %s", c.cfg.Name)
	case ErrContentFilter:
		return fmt.Sprintf("the content filter of %s stopped the call", c.where)
	case ErrUnavailable:
		return fmt.Sprintf("the model endpoint %s is not available", c.where)
	case ErrNoReply, ErrThoughtsOnly:
		return fmt.Sprintf("the model endpoint %s answered without a reply of model %s", c.where, c.cfg.Name)
	case ErrToolCalls:
		const called = "called tools that it was not offered, instead of replying"
		return fmt.Sprintf("model %s %s", c.cfg.Name, called)
	case ErrReplyTooLong:
		return fmt.Sprintf("the reply of model %s is too long", c.cfg.Name)
	}
	if status/100 == 3 {
		return fmt.Sprintf("the model endpoint %s redirects requests", c.where)
	}
	return fmt.Sprintf("the model endpoint %s refused the request for model %s", c.where, c.cfg.Name)
}

// networkCause returns what callers may test for (a deadline, a refused connection), without any of the texts,
// which may contain a URL with a password.
func networkCause(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return nil
}

// cancelled is the error of a call whose context ended.
func cancelled(cause error) *Error {
	text := "the call was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		text = "the time for the call ran out"
	}
	return &Error{Kind: ErrCancelled, Message: text, Err: cause}
}

// plainNetError describes a network error without Go's nested prefixes.
func plainNetError(err error) string {
	for outer := new(url.Error); errors.As(err, &outer); {
		err = outer.Err
	}
	text := err.Error()
	var proxy *proxyError
	switch {
	case errors.As(err, &proxy):
		return proxy.Error()
	case strings.Contains(text, "connection refused"):
		return "connection refused (is the server running?)"
	case strings.Contains(text, "no such host"):
		return text[max(0, strings.Index(text, "lookup ")):] + " (is the base URL right?)"
	case strings.Contains(text, "connection reset"), strings.HasSuffix(text, "EOF"):
		return "the connection broke"
	default:
		return text
	}
}
