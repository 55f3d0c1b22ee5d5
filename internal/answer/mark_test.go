package answer_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/answer"
)

// TestMarksAgainstAnExpression checks that marks are found where a regular expression finds them.
func TestMarksAgainstAnExpression(t *testing.T) {
	expression := regexp.MustCompile(`\[\^(?:[A-Za-z]*\d[A-Za-z\d]*|\d+[A-Za-z]{3}-\d+(?:\.\d+)*)\]`)
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"[", "^", "[^", "1", "23", "123456789", "kvw", "K", "bc", "a9", "-",
		".", "]", " ", "é", "[^3kvw]", "[^3kvw-1.2]",
	}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(pieces.Draw(t, "text"), "")
		var got []string
		var where [][]int
		for at, mark := range answer.Marks(text) {
			got, where = append(got, mark), append(where, []int{at, at + len(mark)})
		}
		require.Equal(t, expression.FindAllString(text, -1), got)
		require.Equal(t, expression.FindAllStringIndex(text, -1), where)
	})
}
