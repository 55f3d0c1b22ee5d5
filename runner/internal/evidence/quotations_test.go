package evidence_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/evidence"
)

const report = "The main pump failed at three in the\nmorning, and nobody noticed. The keeper's log says: all quiet on the eastern dam. " +
	"Es war die kälteste Nacht des Jahres. run --all --force pump-3.sh\n"

func TestUnverified(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string // quotations that are listed as missing
	}{
		"nothing quoted": {"The pump failed.", nil},
		"plain": {
			`He wrote "the main pump exploded at three" there.`, []string{"the main pump exploded at three"},
		},
		"plain, there": {`He wrote "main pump failed at three" there.`, nil},
		"folded":       {"He wrote “failed at three in the morning, and nobody noticed”.", nil},
		"typographic": {
			"It says “all was loud on the eastern dam”.", []string{"all was loud on the eastern dam"},
		},
		"German": {
			"Es hieß: „Es war die wärmste Nacht des Jahres“, und „Es war die kälteste Nacht des Jahres“.",
			[]string{"Es war die wärmste Nacht des Jahres"},
		},
		"French": {
			"« Es war die kälteste Nacht des Jahres » et « une citation qui n'existe pas »",
			[]string{"une citation qui n'existe pas"},
		},
		"block quote": {
			"It says:\n\n> The main pump failed at three\n> in the morning\n\nand\n\n> The main pump was fine all night\n> — the keeper\n", []string{"The main pump was fine all night"},
		},
		"code span": {
			"Use `run --all --force pump-3.sh` or `run --none --force pump-4.sh`.",
			[]string{"run --none --force pump-4.sh"},
		},
		"short":            {`It is "not there" at all.`, nil},
		"full stop inside": {`"The main pump failed at three."`, nil},
		"words left out":   {`“The main pump failed … and nobody noticed.”`, nil},
		"words left out, wrong": {
			`“The main pump failed … and everybody noticed.”`,
			[]string{"The main pump failed … and everybody noticed."},
		},
		"emphasis":      {"“The main **pump** failed at three”", nil},
		"a mark inside": {`"The main pump failed at three [^3kt]"`, nil},
		"an apostrophe": {"The keeper's hand, the dam's wall, ‘The keeper's log says: all quiet’", nil},
		"inches":        {`A 5" pipe and a 6" pipe of some length, and a 7" pipe.`, nil},
		"fenced code":   {"```\nx := \"a text that is nowhere to be found\"\n```", nil},
		"JSON": {
			`{"what": "a text that is nowhere to be found", "quote": "it says “all was loud on the eastern dam”"}`,
			[]string{"all was loud on the eastern dam"},
		},
		"over a paragraph": {
			"\"not closed in this paragraph\n\nanother \"paragraph that is something else\"",
			[]string{"paragraph that is something else"},
		},
		"twice": {
			`"a text that is nowhere" and "a text  that is nowhere"`, []string{"a text that is nowhere"},
		},
		"in parentheses": {`(“all quiet on the eastern dam”)`, nil},
		"several": {
			`"The main pump failed at three", "the second never started again", "all quiet on the eastern dam"`,
			[]string{"the second never started again"},
		},
		"quotation marks in quote": {`> “all quiet on the eastern dam”`, nil},
		"an apostrophe set otherwise": {
			"> The keeper’s log says: all quiet\n\nor\n\n> The keeper’s log says: all loud",
			[]string{"The keeper’s log says: all loud"},
		},
		"a letter changed": {
			"It says “[t]he main pump failed at three” and “[n]obody noticed anything at all”.",
			[]string{"[n]obody noticed anything at all"},
		},
		"19 characters, 20, 21": {
			`So "a2345678901234 6789" and "a2345678901234 67890" or "a2345678901234 678901".`,
			[]string{"a2345678901234 67890", "a2345678901234 678901"},
		},
		"typed again": {
			"“ﬁelds that nobody noticed” and “The main pump failed at three in the mor\u00adning”",
			[]string{"ﬁelds that nobody noticed"},
		},
		"in a table": {
			"| what | words |\n|---|---|\n| one | \"all quiet on the eastern dam\" |\n| two | \"all loud on the western dam\" |", []string{"all loud on the western dam"},
		},
		"German, single": {
			"Es hieß ‚Es war die wärmste Nacht des Jahres‘.", []string{"Es war die wärmste Nacht des Jahres"},
		},
		"a quote in a quote": {
			"He said “it says ‘all loud on the eastern dam’ there”.",
			[]string{"it says ‘all loud on the eastern dam’ there"},
		},
		"Japanese": {"「この文章はどこにも存在しないはずの引用文です」", []string{"この文章はどこにも存在しないはずの引用文です"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := evidence.Unverified(
				context.Background(), strings.NewReader(report), int64(len(report)), c.answer)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestApostrophesOfManyQuotations: quotations with other apostrophes and quotation marks than the text are found,
// however many they are and however large the text is.
func TestApostrophesOfManyQuotations(t *testing.T) {
	var text, answer strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "The keeper’s log of night %d says “all quiet – or nearly so” on the dam.\n", i)
		fmt.Fprintf(&answer, "> The keeper's log of night %d says \"all quiet - or nearly so\" on the dam.\n\n", i)
	}
	got, err := evidence.Unverified(t.Context(), strings.NewReader(text.String()), int64(text.Len()), answer.String())
	require.NoError(t, err)
	require.Empty(t, got)

	// The quotation crosses the boundary of two of the pieces in which a large text is searched.
	const before = 64<<20 - 30
	large := strings.Repeat("nothing\n", before/8) + "The keeper’s log says: all quiet on the western dam.\n" +
		strings.Repeat("nothing\n", 1000)
	got, err = evidence.Unverified(t.Context(), strings.NewReader(large), int64(len(large)),
		`It says "The keeper's log says: all quiet on the western dam" and "The keeper's log says: all loud on the western dam".`)
	require.NoError(t, err)
	require.Equal(t, []string{"The keeper's log says: all loud on the western dam"}, got)
}

// TestScanningIsLinear: an answer of several megabytes that opens quotations and closes none is scanned quickly. A
// separate scan for each quotation would not end in time.
func TestScanningIsLinear(t *testing.T) {
	for _, piece := range []string{"“", "\"", "\"a ", "`", "``", "> “*", "‘a", "[^", "> \n"} {
		answer := strings.Repeat(piece, 2<<20/len(piece))
		_, err := evidence.Unverified(context.Background(), strings.NewReader(report), int64(len(report)), answer)
		require.NoError(t, err)
	}
}
