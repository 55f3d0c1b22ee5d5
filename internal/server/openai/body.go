package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	mostBody     = 64 << 20         // bytes of a JSON body; larger texts come as files
	mostElements = 10_000           // of a list in it
	bodyIdle     = 30 * time.Second // in which the next piece of a body must come
	bodyTime     = 5 * time.Minute  // for all of it
)

// field says what becomes of a field of a request.
type field struct {
	use use
	why string   // of refused ones
	ok  []string // values, as JSON, that say nothing the endpoint would not do anyway; null always does
}

type use int

const (
	honoured  use = iota
	accepted      // taken, without effect: it asks for nothing that changes an answer
	defaulted     // taken with the values of ok only
)

// fields are those of a kind of request, by name.
type fields map[string]field

// read reads the body of a request field by field. A field that is unknown or cannot be honoured is an error that names it. raw is the body
// as it came.
func (a *API) read(w http.ResponseWriter, r *http.Request, known fields) (out map[string]json.RawMessage, raw []byte, err error) {
	if ct, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(ct) != "application/json" {
		return nil, nil, &Failure{Status: http.StatusUnsupportedMediaType, Message: "send application/json"}
	}
	if r.ContentLength > mostBody {
		return nil, nil, &http.MaxBytesError{Limit: mostBody}
	}
	if r.ContentLength < 0 || r.ContentLength > largeBody {
		select {
		case a.bodies <- struct{}{}:
			defer func() { <-a.bodies }()
		case <-r.Context().Done():
			return nil, nil, r.Context().Err()
		}
	}
	raw, err = io.ReadAll(http.MaxBytesReader(w, newPatient(w, r.Body, bodyTime), mostBody))
	if err != nil {
		return nil, nil, brokenBody(err)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the client may be silent while it is answered
	out, err = known.split(raw)
	return out, raw, err
}

// brokenBody says why a body did not come in.
func brokenBody(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return &Failure{Status: http.StatusRequestTimeout, Message: "the request did not come in: " + err.Error()}
}

// split takes a JSON object apart. Values are not looked into.
func (known fields) split(body []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, notJSON(err)
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		name, _ := t.(string)
		if err != nil {
			return nil, notJSON(err)
		}
		f, ok := known[name]
		if !ok {
			return nil, &Failure{Status: http.StatusBadRequest, Code: "unknown_parameter", Param: cut(name, 64), Message: "unrecognized request argument supplied: " + cut(name, 64)}
		}
		if _, twice := out[name]; twice {
			return nil, wrong(name, "'"+name+"' is there twice")
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, notJSON(err)
		}
		if err := f.check(name, v); err != nil {
			return nil, err
		}
		out[name] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, notJSON(errors.New("there is something behind its end"))
	}
	return out, nil
}

func notJSON(err error) error {
	if err == nil {
		err = errors.New("it is no object")
	}
	return wrong("", "the body is not the JSON that is expected: "+err.Error())
}

// check refuses a value that the endpoint cannot honour.
func (f field) check(name string, v json.RawMessage) error {
	if f.use != defaulted || string(v) == "null" {
		return nil
	}
	var flat bytes.Buffer
	if json.Compact(&flat, v) == nil && slices.Contains(f.ok, flat.String()) {
		return nil
	}
	return notHonoured(name, f.why)
}

// value decodes a field into v, which stays as it is without one.
func value(in map[string]json.RawMessage, name string, v any) error {
	raw, ok := in[name]
	if !ok {
		return nil
	}
	return decode(raw, name, v)
}

// decode reads a value strictly.
func decode(raw json.RawMessage, param string, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return wrong(param, fmt.Sprintf("'%s' is not what is expected: %s", param, strings.TrimPrefix(err.Error(), "json: ")))
	}
	return nil
}

// elements are those of a JSON list, of which there may be so many only.
func elements(raw json.RawMessage, param string) ([]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, wrong(param, "'"+param+"' is a list")
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

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// patient gives a slow sender time for each piece, and a limited time for all of them.
type patient struct {
	io.ReadCloser
	control *http.ResponseController
	last    time.Time
}

func newPatient(w http.ResponseWriter, body io.ReadCloser, whole time.Duration) *patient {
	return &patient{body, http.NewResponseController(w), time.Now().Add(whole)}
}

func (p *patient) Read(b []byte) (int, error) {
	next := time.Now().Add(bodyIdle)
	if next.After(p.last) {
		next = p.last
	}
	_ = p.control.SetReadDeadline(next) // a connection without deadlines is bounded by its size all the same
	return p.ReadCloser.Read(b)
}
