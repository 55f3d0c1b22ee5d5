package export

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// The prose around cells is found by their fences: it may contain the same text as a cell.
func TestProseAroundCells(t *testing.T) {
	const fence = "```"
	for name, c := range map[string]struct {
		reply    string
		sources  []string
		untagged bool
		before   []string
		after    string
	}{
		"the words of the cell": {
			"Now the total of all.\n" + fence + "go\ntotal\n" + fence + "\nThen more.",
			[]string{"total\n"},
			false,
			[]string{"Now the total of all."},
			"Then more.",
		},
		"an example before": {
			"Like\n" + fence + "\nx\n" + fence + "\nso:\n" + fence + "go\nx\n" + fence,
			[]string{"x"},
			false,
			[]string{"Like\n" + fence + "\nx\n" + fence + "\nso:"},
			"",
		},
		"an untagged cell": {
			"So:\n" + fence + "\nx\n" + fence + "\nx it is", []string{"x"}, true, []string{"So:"}, "x it is",
		},
		"a part of another block": {
			fence + "go\nx\ny\n" + fence + "\nand\n" + fence + "go\nx\n" + fence,
			[]string{"x\ny", "x"},
			false,
			[]string{"", "and"},
			"",
		},
		"line ends of Windows": {
			"a\r\n" + fence + "go\r\nx\r\ny\r\n" + fence + "\r\nb", []string{"x\ny"}, false, []string{"a"}, "b",
		},
		"no fence at the end": {"a\n" + fence + "go\n\n  x", []string{"x"}, false, []string{"a"}, ""},
		"not in the reply":    {"a x b", []string{"x"}, false, []string{""}, "a x b"},
	} {
		var cells []*cell
		for _, source := range c.sources {
			cells = append(cells, &cell{started: trajectory.CellStarted{Source: source, Untagged: c.untagged}})
		}
		before, after := segments(c.reply, cells)
		require.Equal(t, c.before, before, name)
		require.Equal(t, c.after, after, name)
	}
}
