package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// errorLog has 3 errors of cart and 1 of mail, and is too long to be shown whole.
var errorLog = strings.Repeat("10:00 INFO all well\n", 2000) +
	"10:01 ERROR cart\n10:02 ERROR cart\n10:03 ERROR mail\n10:04 ERROR cart\n"

const countErrors = `n := map[string]int{}
for _, l := range strings.Split(context, "\n") {
	if f := strings.Fields(l); len(f) == 3 && f[1] == "ERROR" {
		n[f[2]]++
	}
}
fmt.Println(n)`

func TestAnAnswerSaysWhatItRestsOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies []string
		verdict string
		missing []string
		where   trajectory.Place // where the last grounded value is from
	}{
		"printed": {
			[]string{fence(countErrors), fence(`FINAL("cart 3")`)},
			"grounded", nil,
			trajectory.Place{Kind: "output", Turn: 1, Cell: 1},
		},
		"computed": {
			[]string{fence(`FINAL(strings.Count(context, "INFO"))`)},
			"grounded", nil,
			trajectory.Place{Kind: "computed", Turn: 1, Cell: 1},
		},
		"one figure too far": {
			[]string{fence(countErrors), fence(`FINAL("cart 3, of 742 lines")`)},
			"partly",
			[]string{"742"},
			trajectory.Place{Kind: "output", Turn: 1, Cell: 1},
		},
		"a guess": {
			[]string{fence(`FINAL("shop 742")`)},
			"not",
			[]string{"shop", "742"},
			trajectory.Place{},
		},
		"in prose": {[]string{"FINAL(shop 742)"}, "not", []string{"shop", "742"}, trajectory.Place{}},
		"its own literal": {
			[]string{fence(`fmt.Println("shop:", 742)`), fence(`FINAL("shop 742")`)},
			"not",
			[]string{"shop", "742"},
			trajectory.Place{},
		},
		"a failing cell": {
			[]string{
				fence("k := 742\nfmt.Println(k + 1)\nvar m map[string]int\nm[\"a\"] = 1"),
				fence(`FINAL("743 errors")`),
			}, "not", []string{"743"}, trajectory.Place{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replies := append(c.replies, c.replies[len(c.replies)-1]) // an answer without any source is sent back once
			res, err := newRunner(t, root(replies, nil)).Answer(
				timeout(t), "Which service fails most, and how often?", runner.Text("app.log", errorLog))
			require.NoError(t, err)
			status := termination.Completed // the verdict does not change the status
			if name == "a failing cell" {
				status = termination.ErrorLimit // an answer is partial if all cells before it failed
			}
			require.Equal(t, status, res.Status)
			require.NotNil(t, res.Grounding)
			assert.Equal(t, c.verdict, res.Grounding.Verdict, "%+v", res.Grounding.Values)
			assert.Equal(t, c.missing, res.Grounding.Missing())
			var last trajectory.Place
			for _, v := range res.Grounding.Values {
				if v.Where != nil {
					last = *v.Where
				}
			}
			assert.Equal(t, c.where, last)
		})
	}
}

func TestASubCallIsAPlaceIfItWasGivenText(t *testing.T) {
	t.Parallel()
	reply := func(string) (string, error) { return "The keeper is Ada Lund.", nil }
	for prompt, verdict := range map[string]string{
		`"Who is the keeper? " + context[:2000]`: "grounded",
		`"Who is the keeper?"`:                   "not",
		`"Who is the keeper?", ""`:               "not",
		`"Who is the keeper?", context`:          "grounded",
	} {
		call := "llm_query"
		if strings.Contains(prompt, ", ") {
			call = "rlm_query"
		}
		model := root([]string{
			fence("r := " + call + "(" + prompt + ")\nfmt.Println(r)"), fence(`FINAL("Ada Lund")`),
			fence(`FINAL("Ada Lund")`),
		}, reply)
		res, err := newRunner(t, model).Answer(timeout(t), "Who keeps the light?", runner.Text("app.log", errorLog))
		require.NoError(t, err)
		require.Equal(t, verdict, res.Grounding.Verdict, "%s: %+v", prompt, res.Grounding.Values)
	}
}

func TestRequiredGrounding(t *testing.T) {
	t.Parallel()
	policy := termination.DefaultPolicy(termination.Response)
	policy.RequireGrounded = true
	ask := func(replies ...string) runner.Result {
		res, err := newRunner(t, root(replies, nil), runner.WithPolicy(policy)).Answer(
			timeout(t), "Which service fails most?", runner.Text("app.log", errorLog))
		require.NoError(t, err)
		return res
	}
	res := ask(fence(countErrors), fence(`FINAL("cart")`))
	require.Equal(t, termination.Completed, res.Status)
	require.Zero(t, res.ExitCode())
	res = ask(fence(`FINAL("shop, 742 times")`), fence(`FINAL("shop, 742 times")`))
	require.Equal(t, termination.NotGrounded, res.Status)
	require.Equal(t, "shop, 742 times", res.Answer, "the answer is there")
	require.Contains(t, res.Reason, "742")
	require.Equal(t, exitcode.Limit, res.ExitCode())
	res = ask(fence(`FINAL("mail")`), fence(`FINAL("mail")`))
	require.Equal(t, termination.NotGrounded, res.Status, "it stands in the excerpt, as other services do")
	require.Contains(t, res.Reason, "mail")
}

// TestAnEarlierQuestionIsNeutral: what the user said before is no invention, as what the question says is none.
func TestAnEarlierQuestionIsNeutral(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(countErrors), fence(`FINAL("cart 3")`),
		fence(`FINAL("The bound is 9137 errors; cart has 3, of 742 lines.")`),
	}, nil)
	s, err := newRunner(t, model).NewSession(timeout(t), runner.Text("app.log", errorLog))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Answer(timeout(t), "At most 9137 errors are allowed. Which service fails most?")
	require.NoError(t, err)
	res, err := s.Answer(timeout(t), "What is the bound, and how far is cart?")
	require.NoError(t, err)
	require.Equal(t, []string{"742"}, res.Grounding.Missing(), "%+v", res.Grounding.Values)
	require.Equal(t, "partly", res.Grounding.Verdict)
	i := slices.IndexFunc(res.Grounding.Values, func(v trajectory.GroundedValue) bool { return v.Neutral })
	require.GreaterOrEqual(t, i, 0)
	require.Contains(t, res.Grounding.Values[i].Why, "earlier question")
}

// TestAnOldLogIsTraced: the events of a log that does not record what answers rest on are complete.
func TestAnOldLogIsTraced(t *testing.T) {
	t.Parallel()
	const fails = "i := strings.Index(context, \"10:05\")\nfmt.Println(context[i : i+29])\npanic(i)"
	text := errorLog + "10:05 WARN keeper is Ada Lund\n" + errorLog
	r := newRunner(t, root([]string{
		fence(fails), fence(countErrors), fence(`FINAL("cart 6, kept by Ada Lund, of 742 lines")`), fence(`FINAL("mail 2")`),
	}, nil))
	s, err := r.NewSession(timeout(t), runner.Text("app.log", text))
	require.NoError(t, err)
	var want []*trajectory.Grounding
	for _, question := range []string{whichCart, "Again?"} {
		res, err := s.Answer(timeout(t), question)
		require.NoError(t, err)
		require.NotNil(t, res.Grounding)
		want = append(want, res.Grounding)
	}
	require.NoError(t, s.Close())
	dir := filepath.Join(r.RunsDir(), s.ID())
	file := filepath.Join(dir, "trajectory.jsonl")
	log, err := os.ReadFile(file)
	require.NoError(t, err)
	old := regexp.MustCompile(`,"grounding":\{.*\}(\}\})`).ReplaceAll(log, []byte("$1"))
	require.NotContains(t, string(old), "grounded")
	require.NoError(t, os.WriteFile(file, old, 0o600))
	var got []*trajectory.Grounding
	for ev, err := range runner.Recorded(timeout(t), dir) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.RunEnded); ok {
			got = append(got, d.Grounding)
		}
	}
	require.Equal(t, want, got)
	require.Equal(t, []string{"742"}, got[0].Missing(), "%+v", got[0].Values)
}

// TestAnAnswerIsTracedAgain: a log is enough for tracing, so that runs of earlier versions can be traced too, and
// the result equals the recorded one.
func TestAnAnswerIsTracedAgain(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence(countErrors), fence(`FINAL("cart 3, of 742 lines")`)}, nil))
	res, err := r.Answer(timeout(t), "Which service fails most, and how often?", runner.Text("app.log", errorLog))
	require.NoError(t, err)
	v, err := r.Verify(timeout(t), res.RunID)
	require.NoError(t, err)
	require.Equal(t, res.Grounding, v.Grounding)
	require.True(t, v.Holds(), "the mark forbids nothing")
}

// TestProseBeforeFailingCellsIsNoAnswer, even if the first message has the whole text, unless something in it rests
// on that.
func TestProseBeforeFailingCellsIsNoAnswer(t *testing.T) {
	t.Parallel()
	for prose, exit := range map[string]int{"I am thinking about it.": 3, "The nodes are 48 in number.": 0} {
		replies := []string{prose}
		for i := range 6 { // with the last turn
			replies = append(replies, fence(fmt.Sprintf("undefined_%d()", i)))
		}
		res, err := newRunner(t, root(replies, nil)).Answer(
			timeout(t), "How many nodes are there?", runner.Text("notes.md", "The cluster has 48 nodes.\n"))
		require.NoError(t, err)
		require.Equal(t, termination.ErrorLimit, res.Status)
		require.Equal(t, exit, res.ExitCode(), prose)
		require.Equal(t, exit == 0, res.HasAnswer, prose)
	}
}
