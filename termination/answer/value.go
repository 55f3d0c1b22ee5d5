package answer

import "strings"

// Kind is the form in which a value is written down.
type Kind int

// The kinds of values.
const (
	Null   Kind = iota // nil
	Text               // a string, and everything that is written like one: NaN, a func, an error
	Scalar             // a number or a boolean: the same in text and in JSON
	List
	Object // a map or a struct
)

// Value is a Go value taken apart for writing. Format makes one by reflection (Of); a notebook, which
// knows the static types of its variables better than reflection does, may build its own.
type Value struct {
	Kind Kind
	// Text is the text, or the literal of a scalar.
	Text string
	// Items are the elements of a list or the values of an object, Keys the names of the latter in order.
	Items []Value
	Keys  []string
	// More is the number of elements that were left out.
	More int
}

// String writes a value as an answer: text as it is, a list with a line for each element, an object as JSON with
// two spaces, and of an object with the key "answer" only that. It is at most MaxLen bytes long.
func (v Value) String() string {
	w := &writer{left: MaxLen}
	v.plain(w)
	return w.result()
}

// JSON writes a value as JSON on one line, at most MaxLen bytes long.
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
		v.lines(w)
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

func (v Value) lines(w *writer) {
	if len(v.Items) == 0 {
		w.write("[]")
		return
	}
	for i, item := range v.Items {
		if i > 0 {
			w.write("\n")
		}
		if item.Kind >= List {
			item.json(w, "", "")
		} else {
			item.plain(w)
		}
		if w.full() {
			return
		}
	}
	if v.More > 0 {
		w.writef("\n… %d more", v.More)
	}
}

// json writes JSON; nl is a line end with the indentation so far and indent one step of it, both empty for one line.
func (v Value) json(w *writer, nl, indent string) {
	switch v.Kind {
	case Null:
		w.write("null")
	case Text:
		w.write(quoteJSON(v.Text))
	case Scalar:
		w.write(strings.Replace(v.Text, "e-0", "e-", 1)) // 1e-9, as encoding/json writes it
	case List, Object:
		v.jsonItems(w, nl, indent)
	}
}

// minusZero is the sign of a zero, which only JSON keeps.
func (v Value) minusZero() string {
	if v.Text == "-0" {
		return "-"
	}
	return ""
}

func (v Value) jsonItems(w *writer, nl, indent string) {
	brackets, separator, colon := "[]", ",", ":"
	if v.Kind == Object {
		brackets = "{}"
	}
	if indent != "" {
		colon = ": "
	}
	w.write(brackets[:1])
	for i, item := range v.Items {
		if w.full() {
			return
		}
		if i > 0 {
			w.write(separator)
		}
		w.write(nl + indent)
		if v.Kind == Object {
			w.write(quoteJSON(v.Keys[i]))
			w.write(colon)
		}
		if nl == "" {
			item.json(w, "", "")
		} else {
			item.json(w, nl+indent, indent)
		}
	}
	if v.More > 0 {
		if len(v.Items) > 0 {
			w.write(separator)
		}
		w.write(nl + indent)
		if v.Kind == Object {
			w.write(quoteJSON("…") + colon)
		}
		w.writef(`"… %d more"`, v.More)
	}
	if len(v.Items) > 0 || v.More > 0 {
		w.write(nl)
	}
	w.write(brackets[1:])
}
