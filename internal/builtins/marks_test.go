package builtins_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/repl"
)

// citer returns the builtin cite of a notebook over contexts, and its marks.
func citer(t *rapid.T) (cite func(part any) (string, error), marks *builtins.Marks) {
	marks = builtins.NewMarks()
	made, err := builtins.Make(builtins.Standard(answer.Response), says(""), marks)
	require.NoError(t, err)
	var fn func(*repl.Site, any) string
	for _, b := range made {
		if b.Name == builtins.ImplCite {
			fn = b.Fn.(func(*repl.Site, any) string)
		}
	}
	return func(part any) (mark string, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = r.(error)
			}
		}()
		return fn(&repl.Site{Note: func(string) {}}, part), nil
	}, marks
}

// texts makes a context of two documents with repeated words.
func texts(t *rapid.T, label string) (context string, docs []repl.Doc) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"pump", "dam", "failed", " ", " ", "\n", "\n  ", ".", "é", "語"}),
		1, 80)
	a, b := strings.Join(words.Draw(t, label+" a"), ""), strings.Join(words.Draw(t, label+" b"), "")
	context = "=== document 1: a ===\n" + a + "\n=== document 2: b ===\n" + b
	at := len("=== document 1: a ===\n")
	return context, []repl.Doc{
		{Name: "a", Text: context[at : at+len(a)]}, {Name: "b", Text: context[len(context)-len(b):]},
	}
}

// TestCiteGivesTheOffsetOfSlices checks that a slice of the context is cited at its own place, even if other
// places have the same text.
func TestCiteGivesTheOffsetOfSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cite, marks := citer(t)
		context, docs := texts(t, "context")
		marks.SetContext(0, context, docs)
		seen := map[[2]int]string{}
		for range rapid.IntRange(1, 10).Draw(t, "slices") {
			from := rapid.IntRange(0, len(context)-1).Draw(t, "from")
			to := rapid.IntRange(from+1, len(context)).Draw(t, "to")
			mark, err := cite(context[from:to])
			if strings.TrimSpace(context[from:to]) == "" {
				require.ErrorContains(t, err, "the passage is empty")
				continue
			}
			require.NoError(t, err)
			fresh := marks.Take()
			if known, ok := seen[[2]int{from, to}]; ok {
				require.Equal(t, known, mark, "the same passage, the same mark")
				require.Empty(t, fresh)
				continue
			}
			require.Len(t, fresh, 1)
			seen[[2]int{from, to}] = mark
			require.Equal(t, builtins.Mark{
				Number: len(seen), Offset: int64(from), Length: int64(to - from),
				Digest: builtins.Digest(context[from:to]),
			}, fresh[0])
			require.Equal(t, mark, answer.Mark("", len(seen)))
		}
	})
}

// TestCiteFindsCopies checks that a copy of words is cited at their place in the context, with the white space
// there, or rejected.
func TestCiteFindsCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cite, marks := citer(t)
		context, docs := texts(t, "context")
		marks.SetContext(0, context, docs)
		passage, _ := texts(t, "other")
		if rapid.Bool().Draw(t, "there") {
			from := rapid.IntRange(0, len(context)-1).Draw(t, "from")
			passage = context[from:rapid.IntRange(from+1, len(context)).Draw(t, "to")]
		}
		passage = strings.Clone(passage)
		if rapid.Bool().Draw(t, "folded") {
			passage = search.Fold(passage)
		}
		if strings.TrimSpace(passage) == "" {
			return
		}
		_, err := cite(passage)
		if err != nil {
			require.ErrorContains(t, err, "is not in the context")
			require.NotContains(t, search.Fold(context), search.Fold(passage))
			return
		}
		m := marks.Take()[0]
		found := context[m.Offset : m.Offset+m.Length]
		if found != passage {
			require.Equal(t, search.Fold(passage), search.Fold(found))
			require.NotContains(t, context, passage)
		}
		require.Equal(t, builtins.Digest(found), m.Digest)
	})
}

// TestSlicesOfEarlierContexts checks that a slice from before documents were added and removed is cited at its
// document's current place, under the same number; if the document is gone, at its old place.
func TestSlicesOfEarlierContexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cite, marks := citer(t)
		context, docs := texts(t, "context")
		marks.SetContext(0, context, docs)
		doc := docs[1].Text
		from := rapid.IntRange(0, len(doc)-1).Draw(t, "from")
		slice := doc[from:rapid.IntRange(from+1, len(doc)).Draw(t, "to")]
		before, err := cite(slice)
		if err != nil {
			return // a slice of white space cannot be cited
		}
		marks.Take()
		later := strings.Clone(docs[1].Text) + "\n=== document 2: c ===\nmore"
		marks.SetContext(1, later,
			[]repl.Doc{{Name: "b", Text: later[:len(doc)]}, {Name: "c", Text: later[len(later)-4:]}})
		after, err := cite(slice)
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.Empty(t, marks.Take())
		again, err := cite(later[from : from+len(slice)])
		require.NoError(t, err)
		require.Equal(t, before, again, "the passage in the context of today is the same")
		if gone := docs[0].Text; strings.TrimSpace(gone) != "" {
			_, err = cite(gone)
			require.NoError(t, err)
			require.Equal(t, 0, marks.Take()[0].Context)
		}
	})
}

// TestKnownPassagesKeepTheirNumbers checks that passages cited in another worker keep their numbers, whatever the
// order and the contexts, and that new ones get other numbers.
func TestKnownPassagesKeepTheirNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cite, marks := citer(t)
		context, docs := texts(t, "context")
		marks.SetContext(3, context, docs)
		passages := map[string]string{} // passages by mark
		for range rapid.IntRange(1, 10).Draw(t, "slices") {
			from := rapid.IntRange(0, len(context)-1).Draw(t, "from")
			part := context[from:rapid.IntRange(from+1, len(context)).Draw(t, "to")]
			if mark, err := cite(part); err == nil {
				passages[mark] = part
			}
		}
		given := marks.Take()

		again, other := citer(t)
		if rapid.Bool().Draw(t, "known before") {
			other.Know(given)
		}
		other.SetContext(3, context, docs)
		other.Know(given)
		for _, mark := range rapid.Permutation(slices.Collect(maps.Keys(passages))).Draw(t, "order") {
			got, err := again(passages[mark])
			require.NoError(t, err)
			require.Equal(t, mark, got)
		}
		require.Empty(t, other.Take(), "nothing is new")
		if fresh, err := again(context); err == nil && passages[fresh] == "" {
			require.Equal(t, answer.Mark("", len(given)+1), fresh)
		}
	})
}
