package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// failure is what an endpoint or the way to it reported, before it is sorted.
type failure struct {
	status  int
	code    string        // "context_length_exceeded", "insufficient_quota", …
	message string        // as the endpoint wrote it
	err     error         // a network error, if it was one
	wait    time.Duration // until it may be tried again, as the body says; 0: it does not
	final   bool          // the endpoint says that another try will not help
	as      ErrorKind     // what kind of failure it is, if that is known without looking at the rest
}

// kind sorts a failure by what a person can do about it. Endpoints agree on the status at best, so their
// words count as well.
func (f failure) kind() ErrorKind {
	words := strings.ToLower(f.code + " " + f.message)
	switch {
	case f.as != "":
		return f.as
	case f.status == http.StatusTooManyRequests && f.wait > 0: // Gemini tells a limit a minute in the words of a quota
		return ErrRateLimit
	case f.status == http.StatusBadRequest && strings.Contains(words, "credit balance"): // Anthropic
		return ErrQuota
	case f.status == http.StatusTooManyRequests && contains(words, quotaWords), f.status == http.StatusPaymentRequired, f.code == "insufficient_quota":
		return ErrQuota
	case f.status == http.StatusTooManyRequests:
		return ErrRateLimit
	case contains(words, filterWords) && f.status < 500:
		return ErrContentFilter
	case f.status == http.StatusBadRequest && strings.Contains(words, "api key not valid"): // Gemini
		return ErrAuth
	case f.status == http.StatusUnauthorized, f.status == http.StatusForbidden:
		return ErrAuth
	case contains(words, tooLongWords), f.status == http.StatusRequestEntityTooLarge:
		return ErrContextTooLong
	case f.status == http.StatusRequestTimeout, f.status == http.StatusConflict, f.status >= 500, f.status == 0:
		return ErrUnavailable
	default:
		return ErrBadRequest
	}
}

var (
	quotaWords  = []string{"insufficient_quota", "exceeded your current quota", "billing", "credit balance", "billing_error", "out of credits", "insufficient credits", "insufficient balance"}
	filterWords = []string{"content_filter", "content management policy", "responsibleaipolicy", "content_policy", "flagged", "moderation"}
	// The wordings of OpenAI, vLLM, llama.cpp, Anthropic, Gemini and Together, in this order.
	tooLongWords = []string{
		"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context size",
		"prompt is too long", "exceed context limit", "input token count", "context window", "context length", "maximum allowed tokens", "too many input tokens",
	}
)

func contains(text string, any []string) bool {
	for _, w := range any {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// temporary reports whether asking again can help.
func (f failure) temporary() bool {
	if f.final {
		return false
	}
	switch f.kind() {
	case ErrRateLimit, ErrUnavailable, ErrNoReply:
		return f.status != http.StatusNotImplemented
	default:
		return false
	}
}

// failed turns the last failure of a call into its error: one line that says what happened and what to do.
func (c *Client) failed(f failure, tries int) *Error {
	kind := f.kind()
	said := c.hide.line(f.message)
	if said == "" && f.err != nil {
		said = c.hide.line(plainNetError(f.err))
	}
	text := c.headline(kind, f.status)
	if f.status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.status)
	}
	if tries > 1 {
		text += fmt.Sprintf(" after %d tries", tries)
	}
	if said != "" {
		text += ": " + said
	}
	return &Error{Kind: kind, Status: f.status, Message: text, Err: networkCause(f.err)}
}

// headline says what a failure of some kind means, without what the endpoint said of it.
func (c *Client) headline(kind ErrorKind, status int) string {
	switch kind {
	case ErrAuth:
		if c.key.Empty() {
			return fmt.Sprintf("the model endpoint %s wants an API key and none is set", c.where)
		}
		return fmt.Sprintf("the model endpoint %s refused the API key", c.where)
	case ErrQuota:
		return fmt.Sprintf("the account at %s has no quota or credit left", c.where)
	case ErrRateLimit:
		return fmt.Sprintf("the model endpoint %s limits the rate of calls", c.where)
	case ErrContextTooLong:
		return fmt.Sprintf("the prompt is too long for model %s", c.cfg.Name)
	case ErrContentFilter:
		return fmt.Sprintf("the content filter of %s stopped the call", c.where)
	case ErrUnavailable:
		return fmt.Sprintf("the model endpoint %s is not available", c.where)
	case ErrNoReply:
		return fmt.Sprintf("the model endpoint %s answered without a reply of model %s", c.where, c.cfg.Name)
	case ErrToolCalls:
		return fmt.Sprintf("model %s called tools of the endpoint's own interface, which it was not offered, instead of replying", c.cfg.Name)
	case ErrReplyTooLong:
		return fmt.Sprintf("the reply of model %s is too long", c.cfg.Name)
	}
	if status >= 300 && status < 400 {
		return fmt.Sprintf("the model endpoint %s sends requests elsewhere", c.where)
	}
	return fmt.Sprintf("the model endpoint %s refused the request for model %s", c.where, c.cfg.Name)
}

// networkCause keeps what callers may test for (a deadline, a refused connection) but none of the texts,
// which may hold a URL with a password.
func networkCause(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.As(err, &errno):
		return errno
	default:
		return nil
	}
}

// cancelled is the error of a call that its caller ended.
func cancelled(cause error) *Error {
	text := "the call was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		text = "the time for the call was over"
	}
	return &Error{Kind: ErrCancelled, Message: text, Err: cause}
}

// plainNetError says what happened to a connection without Go's nested prefixes.
func plainNetError(err error) string {
	for {
		var outer *url.Error
		if !errors.As(err, &outer) {
			break
		}
		err = outer.Err
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "connection refused"):
		return "connection refused (is the server running?)"
	case strings.Contains(text, "no such host"):
		return text[max(0, strings.Index(text, "lookup ")):] + " (is the base URL right?)"
	case strings.Contains(text, "connection reset"), text == "EOF", strings.HasSuffix(text, "unexpected EOF"):
		return "the connection broke"
	default:
		return text
	}
}
