package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"regexp"
)

// numbers preserves numbers in request ids and progress tokens: the SDK decodes numbers to float64, which is exact
// only up to 2^53, and cuts off fractions. The SDK gets such numbers as texts, which become numbers again in what it
// sends.
type numbers struct {
	mark  string // clients cannot guess it
	marks *regexp.Regexp
}

func newNumbers() *numbers {
	mark := rand.Text()
	return &numbers{mark: mark, marks: regexp.MustCompile(`"` + mark + `:(-?\d[\d.eE+-]*)"`)}
}

var (
	long   = regexp.MustCompile(`\d{16}|\d[.eE]`)
	number = regexp.MustCompile(`^-?\d[\d.eE+-]*$`)
)

// in converts a message from a client.
func (n *numbers) in(message []byte) []byte {
	if !long.Match(message) {
		return message
	}
	if trimmed := bytes.TrimSpace(message); len(trimmed) > 0 && trimmed[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(message, &all) != nil {
			return message
		}
		for i, one := range all {
			all[i] = n.in(one)
		}
		return encoded(all, message)
	}
	return n.within(message, "id", "params", "requestId", "_meta", "progressToken")
}

// within replaces large numbers by marked texts: those with certain names in an object, its params and _meta.
func (n *numbers) within(object json.RawMessage, names ...string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	changed := false
	for _, name := range names {
		value, ok := fields[name]
		if !ok || !long.Match(value) {
			continue
		}
		switch name {
		case "params":
			fields[name] = n.within(value, "requestId", "_meta")
		case "_meta":
			fields[name] = n.within(value, "progressToken")
		default:
			if number.Match(value) {
				fields[name] = json.RawMessage(`"` + n.mark + ":" + string(value) + `"`)
			}
		}
		changed = true
	}
	if !changed {
		return object
	}
	return encoded(fields, object)
}

func encoded(v any, otherwise []byte) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return b
}

// out restores the numbers in what the SDK sends.
func (n *numbers) out(b []byte) []byte {
	if !bytes.Contains(b, []byte(n.mark)) {
		return b
	}
	return n.marks.ReplaceAll(b, []byte("$1"))
}

// writer is a stream to a client.
type writer struct {
	io.WriteCloser
	numbers *numbers
}

func (w writer) Write(b []byte) (int, error) {
	if _, err := w.WriteCloser.Write(w.numbers.out(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
