package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// midStreamError is an error that the endpoint sent as an event.
type midStreamError struct{ f failure }

func (e *midStreamError) Error() string { return e.f.message }

// failureOf brings an error of the network or of a stream into one form.
func failureOf(err error) failure {
	var (
		mid       *midStreamError
		elsewhere *elsewhereError
	)
	switch {
	case errors.As(err, &elsewhere):
		return failure{as: ErrBadRequest, status: elsewhere.status, message: elsewhere.Error()}
	case errors.As(err, &mid):
		return mid.f
	default:
		return failure{message: plainNetError(err), err: err}
	}
}

// errorBody reads the body of an error reply, in whatever form it comes.
func errorBody(status int, body []byte) failure {
	f, ok := errorIn(body)
	if !ok {
		f = failure{message: strings.TrimSpace(string(body))}
		if strings.HasPrefix(f.message, "<") || f.message == "" {
			f.message = http.StatusText(status)
		}
	}
	f.status = status
	return f
}

// errorIn finds the error in a JSON object: {"error":{"message":…,"code":…}}, {"error":"…"},
// {"type":"error",…}, {"message":…,"code":…}, {"detail":…}.
func errorIn(data []byte) (failure, bool) {
	var top struct {
		Error   json.RawMessage `json:"error"`
		Choices json.RawMessage `json:"choices"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    any             `json:"code"`
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 { // Gemini's form
		data = list[0]
	}
	if json.Unmarshal(data, &top) != nil {
		return failure{}, false
	}
	var inner struct {
		Message string          `json:"message"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
		Status  any             `json:"status"`
		Details json.RawMessage `json:"details"`
	}
	switch {
	case len(top.Error) > 0 && string(top.Error) != "null":
		if json.Unmarshal(top.Error, &inner) != nil || inner.Message == "" {
			inner.Message = text(plainJSON(top.Error))
		}
	case top.Choices == nil && (top.Message != "" || top.Detail != nil):
		inner.Message, inner.Code = firstOf(top.Message, text(plainJSON(top.Detail))), top.Code
	default:
		return failure{}, false
	}
	status, _ := strconv.Atoi(firstOf(text(inner.Code), text(inner.Status)))
	if status < 400 || status > 599 {
		status = 0
	}
	code := text(inner.Code)
	if status != 0 || code == "" {
		code = inner.Type
	}
	return failure{status: status, code: code, message: inner.Message, wait: retryDelay(inner.Details)}, true
}

// retryDelay reads how long an error of Google asks to wait: never for a quota of the day.
func retryDelay(details json.RawMessage) (wait time.Duration) {
	var list []struct {
		RetryDelay string `json:"retryDelay"`
		Violations []struct {
			QuotaID string `json:"quotaId"`
		} `json:"violations"`
	}
	if json.Unmarshal(details, &list) != nil {
		return 0
	}
	for _, d := range list {
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") {
				return 0
			}
		}
		if w, err := time.ParseDuration(d.RetryDelay); err == nil && w > 0 {
			wait = min(w, longestWait)
		}
	}
	return wait
}

// plainJSON is a JSON string as its text, anything else as it stands.
func plainJSON(data json.RawMessage) any {
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	return string(data)
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
