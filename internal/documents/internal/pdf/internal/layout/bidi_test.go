package layout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Some programs write brackets as the page shows them, others as the text has them: both mean the same.
func TestBracketsOfTextFromRightToLeft(t *testing.T) {
	for seen, want := range map[string]string{
		"(הקידב) םלוע":       "עולם (בדיקה)",
		")הקידב( םלוע":       "עולם (בדיקה)",
		")ב( ]א[":            "[א] (ב)",
		"(ב) [א]":            "[א] (ב)",
		"אבג (1":             "1) גבא",
		"see (page 2) of it": "see (page 2) of it",
	} {
		var items []item
		for _, r := range seen {
			items = append(items, item{text: string(r)})
		}
		logical(items, false)
		var got strings.Builder
		for _, it := range items {
			got.WriteString(it.text)
		}
		require.Equal(t, want, got.String(), seen)
	}
}
