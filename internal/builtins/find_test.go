package builtins_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
)

func TestFindLooksInThreeWays(t *testing.T) {
	const text = "one line\nA second LINE (of 3)\n\nnothing here\n"
	var f builtins.Finder
	for _, c := range []struct {
		how, query string
		want       []int64
	}{
		{"literal", "line", []int64{4, 18}},
		{"literal", "LINE (", []int64{18}},
		{"literal", "(of 3)", []int64{23}},
		{"regular", `l[a-z]+e`, []int64{4}},
		{"regular", `(?i)second line`, []int64{11}},
		{"literal", "absent", nil},
	} {
		got, err := f.Find(text, builtins.Search{Query: c.query, How: c.how})
		require.NoError(t, err)
		var at []int64
		for _, h := range got.Found {
			at = append(at, h.Offset)
			require.True(t, c.how == "regular" || strings.EqualFold(c.query, text[h.Offset:h.Offset+h.Length]))
		}
		require.Equal(t, c.want, at, "%s %s", c.how, c.query)
		require.False(t, got.More)
	}
	ranked, err := f.Find(text, builtins.Search{Query: "second", How: "ranked"})
	require.NoError(t, err)
	require.Len(t, ranked.Found, 1)
	require.Positive(t, ranked.Found[0].Score)
}

// The first ranked search reads all of a large text, part by part, before it finds anything. Later searches reuse
// its index.
func TestFindRanksPartByPart(t *testing.T) {
	text := strings.Repeat("nothing of interest stands in this line of the ledger\n", 400_000) +
		"the valve is corroded\n"
	var f builtins.Finder
	wanted := builtins.Search{Query: "corroded valve", How: builtins.Ranked, Most: 3}
	got, err := f.Find(text, wanted)
	require.NoError(t, err)
	for read := int64(0); got.More; {
		require.Empty(t, got.Found)
		require.GreaterOrEqual(t, got.Next, read+1<<20)
		require.Less(t, got.Next, int64(len(text)))
		read = got.Next
		wanted.Query = "the valve" // a search may continue with another query
		got, err = f.Find(text, wanted.Next(got.Next))
		require.NoError(t, err)
	}
	require.Contains(t, text[got.Found[0].Offset:got.Found[0].Offset+got.Found[0].Length], "the valve is corroded")
	got, err = f.Find(text, builtins.Search{Query: "corroded", How: builtins.Ranked})
	require.NoError(t, err)
	require.False(t, got.More, "the index is kept")
	require.Len(t, got.Found, 1)
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	var f builtins.Finder
	for _, s := range []builtins.Search{
		{}, {Query: "a"}, {Query: "(", How: "regular"}, {Query: strings.Repeat("a", 20_000), How: "literal"},
	} {
		_, err := f.Find("text", s)
		require.Error(t, err)
	}
}

// Every line is found once, however the text is split, and a search resumes where it ended.
func TestFindGoesOnWhereItEnded(t *testing.T) {
	var b strings.Builder
	var want []int64
	for i := range 120_000 {
		if i%1000 == 0 {
			want = append(want, int64(b.Len()))
		}
		fmt.Fprintf(&b, "number %d of many lines\n", i)
	}
	text := b.String()
	var f builtins.Finder
	var got []int64
	search := builtins.Search{Query: `^number \d*000 |^number 0 `, How: "regular", Most: 7}
	for {
		step, err := f.Find(text, search)
		require.NoError(t, err)
		for _, h := range step.Found {
			got = append(got, h.Offset)
		}
		if !step.More {
			break
		}
		require.Len(t, step.Found, 7)
		search.From = step.Next
	}
	require.Equal(t, want, got)
}
