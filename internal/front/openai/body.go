package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
)

const (
	mostBody     = 64 << 20         // maximum bytes of a JSON body; larger texts are uploaded as files
	mostElements = 10_000           // maximum length of a list in a body
	bodyIdle     = 30 * time.Second // maximum time until the next piece of a body arrives
	bodyTime     = 5 * time.Minute  // maximum time until all of it has arrived
)

// field describes how a field of a request is handled.
type field struct {
	use  fieldSupport
	why  string   // why it is refused
	long bool     // its long texts may remain on disk
	ok   []string // JSON values that request only the default behaviour, as null does
}

type fieldSupport int

const (
	honoured  fieldSupport = iota
	accepted               // accepted without effect, because it cannot change an answer
	ignored                // accepted without effect, and reported unless the value is in ok
	defaulted              // refused unless the value is in ok
)

// fields are the fields of one kind of request, by name.
type fields map[string]field

// request is a parsed request, with its values by field.
type request struct {
	fields  map[string]json.RawMessage
	ignored []string // fields to report to the client as ignored
	body    *body    // close it
}

// read reads the body of a request. If a field is unknown or unsupported, the error names it.
func (a *API) read(w http.ResponseWriter, r *http.Request, known fields) (*request, error) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return nil, &Failure{Status: http.StatusUnsupportedMediaType, Message: "send application/json"}
	}
	if r.ContentLength > mostBody {
		return nil, &http.MaxBytesError{Limit: mostBody}
	}
	release, err := a.room(r)
	if err != nil {
		return nil, err
	}
	b, err := readBody(http.MaxBytesReader(w, newDeadlineReader(w, r.Body, bodyTime), mostBody), a.cfg.DataDir)
	if err != nil {
		release()
		return nil, brokenBody(err)
	}
	b.done = release
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the client may be silent from now on
	out, err := known.split(b)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return out, nil
}

// room waits until there is room on disk for another large body.
func (a *API) room(r *http.Request) (release func(), err error) {
	size := r.ContentLength
	if size < 0 {
		size = mostBody
	}
	if size <= largeBody {
		return func() {}, nil
	}
	if err := a.bodies.Acquire(r.Context(), size); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { a.bodies.Release(size) }), nil
}

// brokenBody explains why a body did not arrive.
func brokenBody(err error) error {
	var large *http.MaxBytesError
	var wrong *Failure
	var refused *session.Error
	if errors.As(err, &large) || errors.As(err, &wrong) || errors.As(err, &refused) {
		return err
	}
	var disk *fs.PathError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Failure{Status: http.StatusRequestTimeout, Message: "the request did not arrive in time"}
	case errors.As(err, &disk):
		return err
	}
	return &Failure{
		Status: http.StatusBadRequest, Message: "the request broke off, or its body is not valid HTTP: " + err.Error(),
	}
}

// split splits a JSON object into its members, without decoding the values.
func (known fields) split(b *body) (*request, error) {
	d := json.NewDecoder(bytes.NewReader(b.json))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, notJSON(err)
	}
	out := &request{fields: map[string]json.RawMessage{}, body: b}
	var refused []string
	for d.More() {
		t, err := d.Token()
		name, _ := t.(string)
		if err != nil {
			return nil, notJSON(err)
		}
		f, ok := known[name]
		if !ok && bytes.HasPrefix(bytes.TrimLeft(b.json[d.InputOffset():], ": \t\r\n"), []byte("null")) { // missing
			_, err = d.Token()
			if err != nil {
				return nil, notJSON(err)
			}
			continue
		}
		if !ok {
			return nil, &Failure{
				Status: http.StatusBadRequest, Code: "unknown_parameter", Param: text.Short(name, 64),
				Message: "unrecognized request argument supplied: " + text.Short(name, 64),
			}
		}
		if _, twice := out.fields[name]; twice {
			return nil, wrong(name, "'"+name+"' is given twice")
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, notJSON(err)
		}
		if !f.long {
			if v, err = b.put(name, v); err != nil {
				return nil, err
			}
		}
		switch {
		case f.use == ignored && !f.saysNothing(v):
			out.ignored = append(out.ignored, name)
		case f.use == defaulted && !f.saysNothing(v):
			refused = append(refused, name)
		}
		out.fields[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, notJSON(errors.New("there is extra text after its end"))
	}
	b.json = nil
	for _, name := range refused {
		if !out.unused(name) {
			return nil, notHonoured(name, known[name].why)
		}
		out.ignored = append(out.ignored, name)
	}
	return out, nil
}

// unused reports whether a field has no effect because of another one in the request: clients send their tools even
// when they forbid calling any.
func (in *request) unused(name string) bool {
	choice := map[string]string{"tools": "tool_choice", "functions": "function_call"}[name]
	return string(in.fields[choice]) == `"none"`
}

func notJSON(err error) error {
	if err == nil {
		err = errors.New("it is not an object")
	}
	return wrong("", "the body is not the expected JSON: "+err.Error())
}

// saysNothing reports whether a value requests only the default behaviour. It compares decoded values, because a
// number can be written in many ways.
func (f field) saysNothing(v json.RawMessage) bool {
	if string(v) == "null" {
		return true
	}
	var got any
	if json.Unmarshal(v, &got) != nil {
		return false
	}
	if text, ok := got.(string); ok { // a number, true or false in quotes
		if meant := any(nil); json.Unmarshal([]byte(text), &meant) == nil {
			got = meant
		}
	}
	return slices.ContainsFunc(f.ok, func(text string) bool {
		var same any
		return json.Unmarshal([]byte(text), &same) == nil && reflect.DeepEqual(got, same)
	})
}

// value decodes a field into v. If the field is missing, v stays unchanged.
func value(in map[string]json.RawMessage, name string, v any) error {
	raw, ok := in[name]
	if !ok {
		return nil
	}
	return decode(jsondoc.Meant(raw, reflect.TypeOf(v)), name, v)
}

// decode decodes a value, and refuses unknown members.
func decode(raw json.RawMessage, param string, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return unexpected(param, err)
	}
	return nil
}

func unexpected(param string, err error) error {
	return wrong(param, fmt.Sprintf("'%s' is not as expected: %s", param, text.Short(jsondoc.Refusal(err), 200)))
}

// elements returns the elements of a JSON list. Too many elements are an error.
func elements(raw json.RawMessage, param string) ([]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		why := "'" + param + "' must be a list"
		if t == json.Delim('{') {
			why += ", not an object: put it between [ and ]"
		}
		return nil, wrong(param, why)
	}
	var out []json.RawMessage
	for d.More() {
		if len(out) == mostElements {
			return nil, wrong(param, fmt.Sprintf("'%s' has more than %d elements", param, mostElements))
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, notJSON(err)
		}
		out = append(out, v)
	}
	return out, nil
}

// isText reports whether a value is a JSON string.
func isText(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// deadlineReader limits the time until the next piece of a body arrives, and the time for the whole body.
type deadlineReader struct {
	io.ReadCloser
	control *http.ResponseController
	last    time.Time
}

func newDeadlineReader(w http.ResponseWriter, body io.ReadCloser, whole time.Duration) *deadlineReader {
	return &deadlineReader{body, http.NewResponseController(w), time.Now().Add(whole)}
}

func (p *deadlineReader) Read(b []byte) (int, error) {
	next := time.Now().Add(bodyIdle)
	if next.After(p.last) {
		next = p.last
	}
	_ = p.control.SetReadDeadline(next) // without deadlines, the body's maximum size still limits it
	return p.ReadCloser.Read(b)
}
