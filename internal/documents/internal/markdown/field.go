package markdown

import "strings"

// IsPageNumber says whether a field shows a number that differs from page to page.
func IsPageNumber(code string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(code)), " ")
	return name == "PAGE" || name == "NUMPAGES" || name == "SECTIONPAGES"
}

// FieldAddress is where a field of a word processor leads, by its code: HYPERLINK "https://…". Other fields, and
// places in the document, have none.
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
