package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// failureOf converts an error of the network or of a stream to a failure.
func failureOf(err error) failure {
	if f, ok := errors.AsType[failure](err); ok {
		return f
	}
	return failure{message: plainNetError(err), err: err}
}

// errorBody reads the body of an error response, in any form.
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

// errorIn finds the error in JSON that is not a reply: OpenAI's {"error":{…}}, or other services' forms.
func errorIn(data []byte) (failure, bool) {
	value, _ := decoded(data)
	if list, is := value.([]any); is && len(list) > 0 { // Gemini's form
		value = list[0]
	}
	top, ok := value.(map[string]any)
	if !ok {
		return failure{}, false
	}
	var r errorReader
	whole := something(top["choices"])
	switch {
	case something(top["error"]) && !(whole && blank(top["error"])):
		r.waits(top)
		r.read(top["error"], 0)
		for _, name := range []string{"code", "status", "type", "error_type"} { // {"error":"…","code":…}
			r.code(top[name])
		}
	case something(top["errors"]) && !whole:
		r.read(top["errors"], 0)
	case top["choices"] != nil:
		r.choices(top["choices"])
	case top["object"] == "chat.completion.chunk", top["object"] == "chat.completion":
	case something(top["usage"]) && top["base_resp"] == nil:
	default:
		r.plain(top)
	}
	if r.base(top["base_resp"]); !r.found() {
		return failure{}, false
	}
	return r.failure(data), true
}

// decoded decodes a JSON value, keeping its numbers as written.
func decoded(data []byte) (value any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return value, dec.Decode(&value) == nil
}

// something reports whether a JSON value is not empty.
func something(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(v) != ""
	case bool:
		return v
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return true
}

// blank reports whether a value contains only empty values: some gateways send such an error with each reply.
func blank(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return v.String() == "0"
	case map[string]any:
		for _, inner := range v {
			if !blank(inner) {
				return false
			}
		}
		return true
	}
	return !something(v)
}

// errorReader collects the fields of an error, from the outside in, because the outer message is often general and
// the cause is nested.
type errorReader struct {
	texts  []string
	codes  []string // from the outside in
	status int
	param  string
	wait   time.Duration
	daily  bool // a daily limit: waiting minutes does not help
	odd    bool // an error without a known text field
}

const deepestError = 6

// read collects the fields of a value.
func (r *errorReader) read(v any, depth int) {
	if depth > deepestError {
		return
	}
	switch v := v.(type) {
	case string:
		r.text(v, depth)
	case []any:
		before := len(r.texts)
		for _, item := range v[:min(len(v), 4)] {
			r.read(item, depth+1)
		}
		if len(r.texts) > before+1 {
			r.texts = append(r.texts[:before], strings.Join(r.texts[before:], ", "))
		}
	case map[string]any:
		r.object(v, depth)
	}
	r.odd = r.odd || depth == 0 && something(v)
}

// text adds a text. It may contain another error, possibly after a few words: litellm wraps errors this way.
func (r *errorReader) text(text string, depth int) {
	text = strings.TrimSpace(text)
	if open := strings.IndexAny(text, "{["); open >= 0 && open < 300 {
		if inner, ok := decoded([]byte(text[open:])); ok && something(inner) {
			before := len(r.texts)
			if head := strings.TrimSpace(text[:open]); head != "" {
				r.add(head)
				before++
			}
			if r.read(inner, depth+1); len(r.texts) > before || open == 0 && len(r.texts) > 0 {
				return
			}
			r.texts = r.texts[:min(before, len(r.texts))]
		}
	}
	if text != "" && !strings.HasPrefix(text, "<") {
		r.add(text)
	}
}

// add adds a text, unless an earlier one contains it.
func (r *errorReader) add(text string) {
	if !slices.ContainsFunc(r.texts, func(t string) bool { return strings.Contains(t, text) }) {
		r.texts = append(r.texts, text)
	}
}

func (r *errorReader) object(v map[string]any, depth int) {
	known := knownForms().Fields
	for _, name := range slices.Concat(known["text"], known["text_beside"]) {
		r.read(v[name], depth+1)
	}
	codes := len(r.codes)
	for _, name := range known["code"] {
		if name != "type" || len(r.codes) == codes { // a code is more specific than a type
			r.code(v[name])
		}
	}
	if param, is := v["param"].(string); is {
		r.param = param
	}
	r.waits(v)
	for _, name := range known["inner"] {
		r.read(v[name], depth+1)
	}
}

// code adds a code, a type or a status.
func (r *errorReader) code(v any) {
	code, _ := v.(string)
	if number, is := v.(json.Number); is {
		code = number.String()
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n <= 599 {
		if r.status == 0 {
			r.status = n
		}
	} else if code != "" && code != "error" {
		r.codes = append(r.codes, code)
	}
}

// waits reads how long an object asks to wait: Google's RetryInfo, and others' fields.
func (r *errorReader) waits(v map[string]any) {
	if id, is := v["quotaId"].(string); is && strings.Contains(id, "PerDay") {
		r.daily = true
	}
	r.read(v["violations"], deepestError-1)
	if text, is := v["retryDelay"].(string); is {
		if w, err := time.ParseDuration(text); err == nil {
			r.wait = min(max(0, w), longestWait)
		}
	}
	for name, unit := range map[string]time.Duration{
		"retry_after": time.Second, "retry_after_seconds": time.Second, "retryAfter": time.Second,
		"retry_after_ms": time.Millisecond,
	} {
		if v[name] != nil {
			if w, ok := waitOf(fmt.Sprint(v[name]), unit); ok {
				r.wait = w
			}
		}
	}
	if headers, is := v["headers"].(map[string]any); is { // OpenRouter's metadata
		h := http.Header{}
		for name, value := range headers {
			h.Set(name, fmt.Sprint(value))
		}
		r.wait = cmp.Or(headerWait(h), r.wait)
	}
}

// plain reads an object that is an error without an error field: {"message":…,"code":…}, {"detail":…}.
func (r *errorReader) plain(v map[string]any) {
	says := func(name string) bool { return something(v[name]) }
	if says("fault") || slices.ContainsFunc(knownForms().Fields["text"], says) {
		r.object(v, 0)
	}
}

// base reads the base_resp of a reply from MiniMax or Baidu, whose status is 0 if there is no error.
func (r *errorReader) base(v any) {
	base, is := v.(map[string]any)
	if code := fmt.Sprint(base["status_code"]); is && code != "0" && code != "<nil>" {
		r.object(base, 1)
		r.codes = append(r.codes, "base_resp:"+code)
		if code == "2013" { // bad parameters, including a prompt that is too long
			r.status = http.StatusBadRequest
		}
	}
}

// choices reads the errors in a reply's choices, where OpenRouter puts the error of a provider.
func (r *errorReader) choices(v any) {
	list, _ := v.([]any)
	for _, item := range list {
		choice, _ := item.(map[string]any)
		delta, _ := choice["delta"].(map[string]any)
		message, _ := choice["message"].(map[string]any)
		for _, e := range []any{choice["error"], delta["error"], message["error"]} {
			r.read(e, 0)
		}
	}
}

func (r *errorReader) found() bool {
	return len(r.texts) > 0 || len(r.codes) > 0 || r.status > 0 || r.odd
}

// failure returns what was read. Without any known text, the message is the error's JSON.
func (r *errorReader) failure(data []byte) failure {
	for i := range len(r.texts) - 1 {
		r.texts[i] = strings.TrimRight(r.texts[i], ": ")
	}
	f := failure{status: r.status, codes: r.codes, param: r.param, message: strings.Join(r.texts, ": ")}
	if f.message == "" {
		f.message = strings.TrimSpace(string(data))
	}
	if f.wait = r.wait; f.wait == 0 {
		f.wait = waitIn(f.message)
	}
	if r.daily {
		f.wait = 0
	}
	return f
}
