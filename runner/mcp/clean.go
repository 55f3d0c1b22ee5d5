package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/gorlm/rlm/internal/kit/text"
)

// clean removes control sequences and control characters from a server's text, including those that change the
// direction of text.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, ansi.Strip(strings.ReplaceAll(text, "\r\n", "\n")))
}

func isControl(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags: invisible text
		return true
	}
	return unicode.IsControl(r)
}

// cleanJSON applies clean to all texts of a JSON value. Numbers keep their form.
func cleanJSON(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return text.JSON(cleanValue(v))
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[clean(name)] = cleanValue(value)
		}
		return out
	}
	return v
}
