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
	expression := regexp.MustCompile(`\[\^[A-Za-z\d](?:[A-Za-z\d._][A-Za-z\d._-]*)?\]`)
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"[", "^", "[^", "1", "23", "123456789", "kvw", "K", "bc", "a9", "-", "_", "[^note]",
		".", "]", " ", "é", "[^3kvw]", "[^3kvw-1.2]",
	}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(pieces.Draw(t, "text"), "")
		var got []string
		var where [][]int
		for at, mark := range answer.Marks(text) {
			got, where = append(got, mark), append(where, []int{at, at + len(mark)})
		}
		var want []string
		var places [][]int
		for _, p := range expression.FindAllStringIndex(text, -1) {
			if mark := text[p[0]:p[1]]; strings.ContainsAny(mark, "0123456789") ||
				!strings.HasSuffix(text[:p[0]], "^") && !strings.HasSuffix(text[:p[0]], "[") {
				want, places = append(want, mark), append(places, p)
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, places, where)
	})
}

func TestClassesOfExpressionsAreNoMarks(t *testing.T) {
	for text, want := range map[string][]string{
		"Down too [^note].":                      {"[^note]"},
		"[^a], [^zz-1] and [^source-3]":          {"[^a]", "[^zz-1]", "[^source-3]"},
		"It matches [^abc]+, `[^x]` or /[^y]/.":  nil,
		"[^a-z], [^0-9] and [^\\s] are classes.": nil,
	} {
		var got []string
		for _, mark := range answer.Marks(text) {
			got = append(got, mark)
		}
		require.Equal(t, want, got, text)
	}
}
