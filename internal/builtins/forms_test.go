package builtins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/repl"
)

// looking returns a cell with a context, and a function that calls the standard builtins in the cell.
func looking(t *testing.T, in string) (c *cell, call func(name string, args ...any) (any, error)) {
	t.Helper()
	marks := builtins.NewMarks()
	marks.SetContext(1, in, []repl.Doc{{Name: "a.txt", Text: in}})
	made, err := builtins.Make(builtins.Standard(answer.Response), says(""), marks)
	require.NoError(t, err)
	c = newCell(map[string]any{"context": in})
	return c, func(name string, args ...any) (any, error) {
		results, err := c.run(t, made, name, nil, args...)
		if err != nil {
			return nil, err
		}
		return results[0], nil
	}
}

func TestLettersInTwoCodePointsAreFoundAndSaid(t *testing.T) {
	in := norm.NFD.String("Der Preis für das Café beträgt 5 €.\n")
	c, call := looking(t, in)
	hits, err := call("grep", "Café")
	require.NoError(t, err)
	require.Equal(t, norm.NFD.String("Café"), hits.([]search.Hit)[0].Match)
	require.Equal(t, []string{"grep: the text has decomposed letters (NFD); some hits are spelled that way, " +
		"where == and strings.Contains miss what you typed"}, c.notes)
	found, err := call("search", "Café")
	require.NoError(t, err)
	require.Len(t, found, 1)
	_, err = call("cite", "das Café beträgt")
	require.NoError(t, err)

	c, call = looking(t, "10\u00a0EUR for the Ver\u00adtrag and an e\ufb03cient o\ufb03ce\n")
	hits, err = call("grep", "EUR.*Vertrag")
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Contains(t, c.notes[0], "non-breaking or other special spaces, soft hyphens")
	_, err = call("grep", `fi\w`)
	require.NoError(t, err)
	require.Contains(t, c.notes[1], "which can hide matches of a pattern; search finds words in every form")

	c, call = looking(t, "plain\n")
	_, err = call("grep", "Café")
	require.NoError(t, err)
	require.Empty(t, c.notes)
}

func TestFindKnowsFormsAndShowsTheMatch(t *testing.T) {
	var f builtins.Finder
	in := strings.Repeat("é ", 5000) + norm.NFD.String("the café") + strings.Repeat(" é", 5000)
	got, err := f.Find(in, builtins.Search{Query: "café", How: "literal"})
	require.NoError(t, err)
	require.Len(t, got.Found, 1)
	require.Contains(t, got.Found[0].Text, norm.NFD.String("the café"))
	require.NotContains(t, got.Found[0].Text, "\uFFFD")
}
