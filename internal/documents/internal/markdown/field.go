package markdown

import "strings"

// IsPageNumber reports whether a field's value differs from page to page.
func IsPageNumber(code string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(code)), " ")
	return name == "PAGE" || name == "NUMPAGES" || name == "SECTIONPAGES"
}

// FieldAddress returns the target of a word processor's field by its code: HYPERLINK "https://…". It is empty for
// other fields and for places in the document.
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
