package runner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/runner"
)

// TestVerifyAfterChanges: words that are still at their old place are confirmed there, even if the same words now
// occur before it; other words are found at their new place, all in one pass.
func TestVerifyAfterChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log.txt")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	text := "all quiet\nall quiet\nthe pump failed\nthe keeper left\n"
	write(text)
	r := newRunner(t, root([]string{
		fence(`FINAL(cite(context[10:19]) + cite("the pump failed") + cite("the keeper left"))`),
	}, nil))
	res, err := r.Answer(timeout(t), "q", runner.Path(file))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 3)
	type state struct {
		state runner.PassageState
		line  int64
	}
	for name, c := range map[string]struct {
		text string
		want []state
	}{
		"as it was": {
			text,
			[]state{{runner.PassageHolds, 2}, {runner.PassageHolds, 3}, {runner.PassageHolds, 4}},
		},
		"longer": {
			text + "the end\n",
			[]state{{runner.PassageHolds, 2}, {runner.PassageHolds, 3}, {runner.PassageHolds, 4}},
		},
		"one line more": {
			"Monday\n" + text,
			[]state{{runner.PassageHolds, 2}, {runner.PassageMoved, 4}, {runner.PassageMoved, 5}},
		},
		"one is gone": {
			strings.Replace(text, "pump", "pipe", 1),
			[]state{{runner.PassageHolds, 2}, {runner.PassageLost, 0}, {runner.PassageHolds, 4}},
		},
		"shorter than it": {
			"all\n",
			[]state{{runner.PassageLost, 0}, {runner.PassageLost, 0}, {runner.PassageLost, 0}},
		},
		"in another order": {
			"the keeper left\nthe pump failed\nall quiet\n",
			[]state{{runner.PassageMoved, 3}, {runner.PassageMoved, 2}, {runner.PassageMoved, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			write(c.text)
			v, err := r.Verify(timeout(t), res.RunID)
			require.NoError(t, err)
			var got []state
			for _, p := range v.Passages {
				got = append(got, state{p.State, p.Line})
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestVerifyAfterAnUpgrade: an unchanged document is read as the run saw it, even next to a changed one and if a
// later version converts it differently. If a document was deleted, the copy has its old text.
func TestVerifyAfterAnUpgrade(t *testing.T) {
	const old = "What the older version made of the letter."
	for name, kept := range map[string]int64{"with a copy of all": 1 << 20, "with a copy of what was converted": 0} {
		t.Run(name, func(t *testing.T) {
			inFolderOf(t, map[string]string{"notes.txt": "plain text\n"}, "letter.docx")
			conversions := t.TempDir()
			convertedBefore(t, conversions, "letter.docx", old)
			r := newRunner(t, root([]string{fence(`FINAL(cite(docs[0].Parts[0]) + cite("plain text"))`)}, nil),
				runner.WithKeptContext(kept), runner.WithConversion(runner.Conversion{Dir: conversions}))
			res, err := r.Answer(timeout(t), "q", runner.Path("letter.docx"), runner.Path("notes.txt"))
			require.NoError(t, err)
			require.Len(t, res.Evidence, 2)
			_, _, err = cache.Clear(conversions)
			require.NoError(t, err)
			check := func(letter, notes runner.Passage) {
				t.Helper()
				v, err := r.Verify(timeout(t), res.RunID)
				require.NoError(t, err)
				for i, want := range []runner.Passage{letter, notes} {
					got := v.Passages[i]
					got.Evidence, got.Line = want.Evidence, 0
					require.Equal(t, want, got, v.Passages[i].Document)
				}
			}
			holds := runner.Passage{State: runner.PassageHolds}
			check(holds, holds)
			require.NoError(t, os.WriteFile("notes.txt", []byte("something else\n"), 0o600))
			check(holds, runner.Passage{State: runner.PassageLost, Stood: kept > 0})
			require.NoError(t, os.Remove("letter.docx"))
			check(runner.Passage{State: runner.PassageGone, Stood: true},
				runner.Passage{State: runner.PassageLost, Stood: kept > 0})
			require.NoError(t, os.Remove("notes.txt"))
			check(runner.Passage{State: runner.PassageGone, Stood: true},
				runner.Passage{State: runner.PassageGone, Stood: kept > 0})
		})
	}
}

// TestAChangedTextIsTracedAsItWas: what an answer rests on does not depend on what became of the documents.
func TestAChangedTextIsTracedAsItWas(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, file string){
		"gone": func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) },
		"changed": func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, []byte("other\n"), 0o600))
		},
	} {
		file := filepath.Join(t.TempDir(), "app.log")
		require.NoError(t, os.WriteFile(file, []byte(errorLog+"10:05 WARN keeper is Ada Lund\n"+errorLog), 0o600))
		const fails = "i := strings.Index(context, \"10:05\")\nfmt.Println(context[i : i+29])\npanic(i)"
		r := newRunner(t, root([]string{fence(fails), fence(countErrors), fence(`FINAL("Ada Lund")`)}, nil))
		res, err := r.Answer(timeout(t), "Who is the keeper?", runner.Path(file))
		require.NoError(t, err)
		require.Equal(t, "grounded", res.Grounding.Verdict)
		change(t, file)
		v, err := r.Verify(timeout(t), res.RunID)
		require.NoError(t, err)
		require.Equal(t, res.Grounding, v.Grounding, name)
		data, err := json.Marshal(v)
		require.NoError(t, err)
		require.Contains(t, string(data), `app.log","offset":0,"size":80166,"encoding":"utf-8","state":"`)
	}
}
