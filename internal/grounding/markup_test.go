package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestTagsOfAnAnswerAreNoClaims: an answer in HTML or XML is judged by what its elements have.
func TestTagsOfAnAnswerAreNoClaims(t *testing.T) {
	const table = "| model | F1 |\n|---|---|\n| Dense | 71.3 |\n| Sparse-S | 74.8 |\n| Sparse-L | 79.6 |"
	judgeOf(t, "How do the models compare?", []found{
		{
			table, "<table>\n<tr><td>Dense</td><td>71.3</td></tr>\n<tr><td>Sparse-L</td><td>79.6</td></tr>\n</table>",
			grounding.Grounded,
		},
		{
			table, "<table>\n<tr><td>Dense</td><td>79.6</td></tr>\n<tr><td>Sparse-L</td><td>71.3</td></tr>\n</table>",
			grounding.Partly,
		},
		{table, "<ul><li>Sparse-L</li><li>Sparse-S</li><li>Dense</li></ul>", grounding.Grounded},
		{table, "<ul><li>Sparse-L</li><li>Hybrid-X</li><li>Dense</li></ul>", grounding.Partly},
		{table, `<p class="lead">The best F1 is <b>79.6</b>.</p>`, grounding.Grounded},
		{table, `<p class="lead">The best F1 is <b>81.2</b>.</p>`, grounding.Partly},
		{table, "<answer>79.6</answer>", grounding.Grounded},
		{table, `<model name="Hybrid-X" f1="79.6"/>`, grounding.Partly},
	})
	judgeOf(t, "How large was the deficit?", []found{
		{"The treasurer reported a deficit of £42,300.", "<p>The deficit was £42,300.</p>", grounding.Grounded},
		{"The treasurer reported a deficit of £42,300.", "<p>The deficit was £51,200.</p>", grounding.Not},
	})
}
