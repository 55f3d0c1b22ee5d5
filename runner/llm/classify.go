package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"syscall"
)

// failure is what an endpoint or the way to it reported, before it is sorted.
type failure struct {
	status  int
	code    string // "context_length_exceeded", "insufficient_quota", …
	message string // as the endpoint wrote it
	err     error  // a network error, if it was one
}

// kind sorts a failure by what a person can do about it. Endpoints agree on the status at best, so their words count as well.
func (f failure) kind() ErrorKind {
	words := strings.ToLower(f.code + " " + f.message)
	switch {
	case f.status == http.StatusTooManyRequests && contains(words, quotaWords), f.status == http.StatusPaymentRequired, f.code == "insufficient_quota":
		return ErrQuota
	case f.status == http.StatusTooManyRequests:
		return ErrRateLimit
	case contains(words, filterWords) && f.status < 500:
		return ErrContentFilter
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
	quotaWords  = []string{"insufficient_quota", "exceeded your current quota", "billing", "credit balance", "out of credits", "insufficient credits", "insufficient balance"}
	filterWords = []string{"content_filter", "content management policy", "responsibleaipolicy", "content_policy", "flagged", "moderation"}
	// The wordings of OpenAI, vLLM, llama.cpp, Anthropic, Gemini and Together, in this order.
	tooLongWords = []string{
		"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context size",
		"prompt is too long", "input token count", "context window", "context length", "maximum allowed tokens", "too many input tokens",
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

// temporary reports whether asking again may help.
func (f failure) temporary() bool {
	switch f.kind() {
	case ErrRateLimit, ErrUnavailable:
		return f.status != http.StatusNotImplemented
	default:
		return false
	}
}

// sorted turns the last failure of a call into its error: one line that says what happened and what to do.
func (c *Client) sorted(f failure, tries int) *Error {
	kind := f.kind()
	said := oneLine(c.redact(f.message))
	if said == "" && f.err != nil {
		said = oneLine(c.redact(plainNetError(f.err)))
	}
	var text string
	switch kind {
	case ErrAuth:
		text = fmt.Sprintf("the model endpoint %s refused the API key", c.where)
		if c.key.Empty() {
			text = fmt.Sprintf("the model endpoint %s wants an API key and none is set", c.where)
		}
	case ErrQuota:
		text = fmt.Sprintf("the account at %s has no quota or credit left", c.where)
	case ErrRateLimit:
		text = fmt.Sprintf("the model endpoint %s limits the rate of calls", c.where)
	case ErrContextTooLong:
		text = fmt.Sprintf("the prompt is too long for model %s", c.model)
	case ErrContentFilter:
		text = fmt.Sprintf("the content filter of %s stopped the call", c.where)
	case ErrUnavailable:
		text = fmt.Sprintf("the model endpoint %s is not available", c.where)
	default:
		text = fmt.Sprintf("the model endpoint %s refused the request for model %s", c.where, c.model)
	}
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

// networkCause keeps what callers may test for (a deadline, a refused connection) but none of the texts, which may hold a URL with a password.
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

var (
	bearer    = regexp.MustCompile(`(?i)\b(bearer\s+)\S+`)
	keyLike   = regexp.MustCompile(`\b(sk|pk|gsk|xai|key|AIza)[-_][A-Za-z0-9_*.-]{6,}`)
	userInfo  = regexp.MustCompile(`(://)[^/\s@]+@`)
	blanks    = regexp.MustCompile(`\s+`)
	urlPrefix = regexp.MustCompile(`^(Post|Get) "[^"]*": `)
)

// redact takes keys out of a text that an endpoint or the network wrote: the key in use, and whatever looks like one.
func (c *Client) redact(text string) string {
	if key := c.key.Reveal(); len(key) >= 4 {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	text = bearer.ReplaceAllString(text, "${1}[key]")
	text = keyLike.ReplaceAllString(text, "[key]")
	return userInfo.ReplaceAllString(text, "${1}")
}

// oneLine is a message for one line of a terminal.
func oneLine(text string) string {
	text = strings.TrimSpace(blanks.ReplaceAllString(text, " "))
	const most = 400
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// plainNetError says what happened to a connection without Go's nested prefixes.
func plainNetError(err error) string {
	text := urlPrefix.ReplaceAllString(err.Error(), "")
	switch {
	case strings.Contains(text, "connection refused"):
		return "connection refused (is the server running?)"
	case strings.Contains(text, "no such host"):
		return text[strings.Index(text, "lookup "):] + " (is the base URL right?)"
	case strings.Contains(text, "connection reset"), text == "EOF", strings.HasSuffix(text, "unexpected EOF"):
		return "the connection broke"
	default:
		return text
	}
}
