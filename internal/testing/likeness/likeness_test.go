package likeness

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"The ﬁrst light-\nhouse, and\u00ad a ²":      "The first lighthouse and a 2",
		"1,234.50 and 3. Then":                       "1,234.50 and 3 Then",
		"[rules](http://example.org/a) hold[^1]":     "rules hold",
		"see [a [b] c](index.html#b) d":              "see a b c d",
		"[약속](ch1.html)과 a":                          "약속과 a",
		"灯台 tower":                                   "灯 台 tower",
		`a\_b * c`:                                   "a b c",
		"Well-\nKnown names, such as jean-\n\nluc's": "Well Known names such as jean luc s",
	} {
		require.Equal(t, want, strings.Join(Words(text), " "), text)
	}
}

func TestCommonSubsequence(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		texts := [2][]string{}
		for i := range texts {
			for range random.IntN(300) {
				texts[i] = append(texts[i], string(rune('a'+random.IntN(1+int(seed%20)))))
			}
		}
		require.Equal(t, slow(texts[0], texts[1]), CommonSubsequence(texts[0], texts[1]), "seed %d", seed)
	}
	require.Zero(t, CommonSubsequence(nil, []string{"a"}))
	require.Zero(t, CommonSubsequence([]string{"a"}, nil))
}

// slow computes the longest common subsequence with the usual table.
func slow(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); x == y {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestRowsThatStayWhole(t *testing.T) {
	const layout = "Item    Price   Sum\nOil     12      3,400\nWick    7       95.5\nGlass   1       20\nSee 12 on page 7 of 8\n"
	rows := Rows(layout)
	require.Equal(t, [][]string{{"12", "3,400"}, {"7", "95.5"}, {"1", "20"}}, rows)
	const index = "oil, 12    wick, 7    dusk, 1\n"
	require.Len(t, Rows(index), 1)
	require.Equal(t, rows, PureRows(layout+index), "an index in columns is no table")
	require.Equal(t, [][]string{{"12", "3,400"}}, PureRows("\u202b3,400\u202c   \u202b12\u202c   \u202bزيت\u202c\n"),
		"read from the right")
	whole, torn := LinesOf("| Oil | 12 | 3,400 |\n| Wick | 7 | 95.5 |\n| Glass | 1 | 20 |").Whole(rows)
	require.Equal(t, 3, whole)
	require.Empty(t, torn)
	whole, torn = LinesOf("| Oil | 12 |\n| | 3,400 |\n| Wick Glass | 7 1 | 95.5 20 |").Whole(rows)
	require.Zero(t, whole, "one is torn, two stand in one line")
	require.Equal(t, rows, torn)
	same := [][]string{{"1", "85"}, {"1", "85"}}
	whole, _ = LinesOf("| Check | 1 | 85 | 1 | 85 |\n| Mend | 1 | 85 | 1 | 85 |").Whole(same)
	require.Equal(t, 2, whole, "rows that are the same as their neighbours")
	require.False(t, LinesOf("3,400 12").Have(rows[0]), "the order counts")
}

func TestCellsThatAreTheSame(t *testing.T) {
	for _, same := range [][]string{
		{"1234.5", `"1,234.50"`, "$1234.5", `"€1,234.5"`, "1.2345E3", "1234.5 €"},
		{"-0.05", "-5%", "(5%)", "-5.00 %"},
		{"2025-03-01", "03/01/2025", "3/1/25", "1-Mar-25", "01.03.2025", `"March 1, 2025"`},
		{"2025-03-01 14:05:00", "2025-03-01T14:05", "03/01/2025 02:05 PM"},
		{"true", "TRUE"},
	} {
		for _, cell := range same {
			require.Equal(t, Cells(same[0]), Cells(cell), cell)
			require.Len(t, Cells(cell)[0], 1, cell)
		}
	}
	require.NotEqual(t, Cells("35237"), Cells("06/21/1996"))
	require.Equal(t, [][]string{{"a", "b", "12"}, nil, {"1.2.3"}}, Cells("\"a, b\",,12\n,\n1.2.3\n"))
}
