package columns

import "encoding/json"

// flat reports whether each row is a flat list of values.
func (n *node) flat() bool {
	for _, c := range n.children {
		if !c.leaf || c.repeated {
			return false
		}
	}
	return len(n.children) > 0
}

// json appends the node as JSON; values are those of its columns in one row.
func (n *node) json(to []byte, values [][]value) []byte {
	there := len(values) > 0 && len(values[0]) > 0 && values[0][0].def >= n.def
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

// elements splits the values of a repeated field into its elements.
func (n *node) elements(values [][]value) [][][]value {
	var out [][][]value
	for c, column := range values {
		start, element := 0, 0
		for i := 1; i <= len(column); i++ {
			if i < len(column) && column[i].rep > n.rep {
				continue
			}
			if element == len(out) {
				out = append(out, make([][]value, len(values)))
			}
			out[element][c] = column[start:i]
			start = i
			element++
		}
	}
	return out
}

// value appends a non-null node, or one element of a repeated node.
func (n *node) value(to []byte, values [][]value) []byte {
	switch {
	case n.leaf:
		if len(values[0]) == 0 || values[0][0].null {
			return append(to, "null"...)
		}
		text, bare := n.text(values[0][0])
		if bare {
			return append(to, text...)
		}
		quoted, _ := json.Marshal(text)
		return append(to, quoted...)
	case n.list && len(n.children[0].children) == 1:
		// The wrapper around each element carries no data.
		inner := n.children[0]
		to = append(to, '[')
		if len(values[0]) > 0 && values[0][0].def >= inner.def {
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
func (n *node) group(to []byte, values [][]value) []byte {
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
