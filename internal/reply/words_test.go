package reply

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAWordIsFoundAtTheEdgesOfALine(t *testing.T) {
	for prose, rest := range map[string]string{
		"DONE": "", "**DONE**": "", "It is 42. DONE": "It is 42.", "DONE: 42": "42", "DONE\n\nIt is 42.": "It is 42.",
		"- DONE\n\nIt is 42.": "It is 42.",
	} {
		word, got, ok := FindWord(prose, []string{"DONE"})
		assert.Equal(t, []any{"DONE", rest, true}, []any{word, got, ok}, prose)
	}
	for _, prose := range []string{
		"", "_", "DONE_", "  DONE_x", "_DONE_", "UNDONE", "DONE2", "éDONE", "is DONE by now",
		"```\nDONE\n```", "> DONE",
	} {
		_, _, ok := FindWord(prose, []string{"DONE"})
		assert.False(t, ok, prose)
	}
}
