package answer

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Kind is the form in which a value is written.
type Kind int

// The kinds of values.
const (
	Null   Kind = iota // nil
	Text               // a string, and everything written like one: NaN, a func, an error
	Scalar             // a number or a boolean: the same in text and in JSON
	List
	Object // a map or a struct
)

// Value is a Go value prepared for writing. Of makes one for Format; a notebook, which knows the static types of
// its variables better than reflection does, may build its own.
type Value struct {
	Kind Kind
	// Text is the text, or the literal of a scalar.
	Text string
	// Items are the elements of a list or the values of an object, whose Keys are in the same order.
	Items []Value
	Keys  []string
	// More is the number of elements that were left out.
	More int
}

// String writes a value as an answer: text unchanged, a list or an object as readable JSON, and of an object with
// the key "answer" only that value. It has at most MaxLen bytes, and a remark if it was truncated.
func (v Value) String() string {
	w := &writer{left: MaxLen}
	v.plain(w)
	return w.result()
}

// JSON writes a value as JSON on one line: at most MaxLen bytes, and a remark if it was truncated.
func (v Value) JSON() string {
	w := &writer{left: MaxLen}
	v.json(w, "", "")
	return w.result()
}

func (v Value) plain(w *writer) {
	switch v.Kind {
	case Null:
		w.write("<nil>")
	case Scalar:
		w.write(strings.TrimPrefix(v.Text, v.minusZero()))
	case Text:
		w.write(v.Text)
	case List:
		v.list(w)
	case Object:
		for i, key := range v.Keys {
			if key == "answer" {
				v.Items[i].plain(w)
				return
			}
		}
		v.json(w, "\n", "  ")
	}
}

// maxLine is the length of the longest list that is written on one line.
const maxLine = 100

// list writes a list as an answer: on one line if it is short and holds no objects, otherwise with a line for each
// element.
func (v Value) list(w *writer) {
	if v.isShort() {
		line := &writer{left: maxLine}
		v.json(line, "", " ")
		if !line.full() {
			w.write(line.result())
			return
		}
	}
	w.write("[")
	for i, item := range v.Items {
		if i > 0 {
			w.write(",")
		}
		w.write("\n  ")
		item.json(w, "", " ")
		if w.full() {
			return
		}
	}
	if v.More > 0 {
		w.writef(",\n  \"… %d more\"", v.More)
	}
	w.write("\n]")
}

// isShort reports whether a list may be written on one line: it is complete, and holds no objects.
func (v Value) isShort() bool {
	if v.More > 0 {
		return false
	}
	for _, item := range v.Items {
		if item.Kind == Object || item.Kind == List && !item.isShort() {
			return false
		}
	}
	return true
}

// json writes JSON. On several lines, nl is a line end with the current indentation and indent is one step of it;
// on one line, nl is empty and indent follows each comma and colon.
func (v Value) json(w *writer, nl, indent string) {
	switch v.Kind {
	case Null:
		w.write("null")
	case Text:
		w.write(text.Quoted(v.Text))
	case Scalar:
		w.write(strings.Replace(v.Text, "e-0", "e-", 1)) // 1e-9, as encoding/json writes it
	case List, Object:
		v.jsonItems(w, nl, indent)
	}
}

// minusZero returns the sign of a negative zero, which only JSON keeps.
func (v Value) minusZero() string {
	if v.Text == "-0" {
		return "-"
	}
	return ""
}

func (v Value) jsonItems(w *writer, nl, indent string) {
	brackets, colon := "[]", ":"
	if v.Kind == Object {
		brackets = "{}"
	}
	if indent != "" {
		colon = ": "
	}
	next := func(i int) { // starts element i
		if nl != "" {
			w.write(","[:min(i, 1)] + nl + indent)
		} else if i > 0 {
			w.write("," + indent)
		}
	}
	inner := nl
	if nl != "" {
		inner = nl + indent
	}
	w.write(brackets[:1])
	for i, item := range v.Items {
		if w.full() {
			return
		}
		next(i)
		if v.Kind == Object {
			w.write(text.Quoted(v.Keys[i]) + colon)
		}
		item.json(w, inner, indent)
	}
	if v.More > 0 {
		next(len(v.Items))
		if v.Kind == Object {
			w.write(text.Quoted("…") + colon)
		}
		w.writef(`"… %d more"`, v.More)
	}
	if nl != "" && (len(v.Items) > 0 || v.More > 0) {
		w.write(nl)
	}
	w.write(brackets[1:])
}
