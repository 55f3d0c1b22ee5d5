package markdown

import "strings"

// FieldAddress is where a field of a word processor leads, by its code: HYPERLINK "https://…". Other fields, and places in the document,
// have none.
func FieldAddress(code string) string {
	name, rest, _ := strings.Cut(strings.TrimSpace(code), " ")
	if !strings.EqualFold(name, "HYPERLINK") {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		url, _, _ := strings.Cut(quoted, `"`)
		return url
	}
	url, _, _ := strings.Cut(rest, " ")
	if strings.HasPrefix(url, `\`) {
		return ""
	}
	return url
}
