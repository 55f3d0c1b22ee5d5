package jsondoc

// CountValues counts the values in JSON, more exactly the characters outside of strings that begin or separate
// values. It counts these characters in invalid JSON as well.
func CountValues(p []byte) int {
	n, text, escaped := 0, false, false
	for _, c := range p {
		if escaped { // after a backslash: it cannot end a string
			escaped = false
			continue
		}
		switch c {
		case '"':
			text = !text
		case '\\':
			escaped = true
		case ',', '[', '{':
			if !text {
				n++
			}
		}
	}
	return n
}
