package columns

import (
	"encoding/json"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// maxDepth bounds records in records.
const maxDepth = 64

// node is a field of the schema, with where its values are.
type node struct {
	name           string
	key            []byte // the name as JSON
	children       []*node
	first, columns int // of the columns of values
	rep, def       int // levels at which it repeats, and from which on it is there
	optional       bool
	repeated       bool
	list, pairs    bool // its only child repeats: a LIST or a MAP
	typ            parquet.Type
}

func newNode(name string, from parquet.Node, rep, def int, column *int) *node {
	n := &node{name: name, first: *column, optional: from.Optional(), repeated: from.Repeated()}
	n.key, _ = json.Marshal(name)
	if n.optional || n.repeated {
		def++
	}
	if n.repeated {
		rep++
	}
	n.rep, n.def = rep, def
	if from.Leaf() {
		n.typ = from.Type()
		*column++
	} else {
		if def > maxDepth {
			panic("its records are nested too deeply")
		}
		for _, f := range from.Fields() {
			n.children = append(n.children, newNode(f.Name(), f, rep, def, column))
		}
		if t := from.Type().LogicalType(); t != nil && len(n.children) == 1 && n.children[0].repeated {
			switch t.Value.(type) {
			case *format.ListType:
				n.list = true
			case *format.MapType:
				n.pairs = true
			}
		}
	}
	n.columns = *column - n.first
	return n
}

// flat says whether each row is a line of values.
func (n *node) flat() bool {
	for _, c := range n.children {
		if c.typ == nil || c.repeated {
			return false
		}
	}
	return len(n.children) > 0
}

// json appends what the node holds; values are those of its columns, of one row.
func (n *node) json(to []byte, values [][]parquet.Value) []byte {
	there := len(values) > 0 && len(values[0]) > 0 && values[0][0].DefinitionLevel() >= n.def
	switch {
	case n.repeated:
		to = append(to, '[')
		if there {
			for i, element := range n.elements(values) {
				if i > 0 {
					to = append(to, ',')
				}
				to = n.value(to, element)
			}
		}
		return append(to, ']')
	case !there:
		return append(to, "null"...)
	}
	return n.value(to, values)
}

// elements splits the values of a repeated field where it repeats.
func (n *node) elements(values [][]parquet.Value) [][][]parquet.Value {
	var out [][][]parquet.Value
	for c, column := range values {
		start, element := 0, 0
		for i := 1; i <= len(column); i++ {
			if i < len(column) && column[i].RepetitionLevel() > n.rep {
				continue
			}
			if element == len(out) {
				out = append(out, make([][]parquet.Value, len(values)))
			}
			out[element][c] = column[start:i]
			start = i
			element++
		}
	}
	return out
}

// value appends a node that is there, or one element of it.
func (n *node) value(to []byte, values [][]parquet.Value) []byte {
	switch {
	case n.typ != nil:
		if len(values[0]) == 0 || values[0][0].IsNull() {
			return append(to, "null"...)
		}
		text, bare := n.text(values[0][0])
		if bare {
			return append(to, text...)
		}
		quoted, _ := json.Marshal(text)
		return append(to, quoted...)
	case n.list && len(n.children[0].children) == 1:
		// What the format wraps an element in says nothing.
		inner := n.children[0]
		to = append(to, '[')
		if len(values[0]) > 0 && values[0][0].DefinitionLevel() >= inner.def {
			for i, element := range inner.elements(values) {
				if i > 0 {
					to = append(to, ',')
				}
				to = inner.children[0].json(to, element)
			}
		}
		return append(to, ']')
	case n.list:
		return n.children[0].json(to, values)
	case n.pairs:
		return n.children[0].json(to, values)
	}
	return n.group(to, values)
}

// group appends a record.
func (n *node) group(to []byte, values [][]parquet.Value) []byte {
	to = append(to, '{')
	for i, c := range n.children {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(append(to, c.key...), ':')
		to = c.json(to, values[c.first-n.first:c.first-n.first+c.columns])
	}
	return append(to, '}')
}
