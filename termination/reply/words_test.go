package reply

import "testing"

func TestAWordIsFoundAtTheEdgesOfALine(t *testing.T) {
	for prose, rest := range map[string]string{
		"DONE": "", "**DONE**": "", "It is 42. DONE": "It is 42.", "DONE: 42": "42", "DONE\n\nIt is 42.": "It is 42.",
	} {
		if word, got, ok := FindWord(prose, []string{"DONE"}); !ok || word != "DONE" || got != rest {
			t.Errorf("%q: %q, %q, %t", prose, word, got, ok)
		}
	}
	for _, prose := range []string{"", "_", "DONE_", "  DONE_x", "_DONE_", "UNDONE", "DONE2", "éDONE", "is DONE by now", "```\nDONE\n```", "> DONE"} {
		if _, _, ok := FindWord(prose, []string{"DONE"}); ok {
			t.Errorf("%q: found", prose)
		}
	}
}
