package runner_test

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

const (
	logbook = "Monday: the pump failed at three.\nTuesday: all quiet.\nWednesday: the pump\n  failed again.\n"
	notes   = "A note: all quiet.\nThe keeper left in May.\n"
)

// aMark matches a mark of evidence.
var aMark = regexp.MustCompile(`\[\^(\d+)[a-z]{3}(-[\d.]+)?\]`)

func TestEvidence(t *testing.T) {
	t.Parallel()
	model := root([]string{fence(`
slice := docs[1].Text[:strings.Index(docs[1].Text, ".")]
hit := grep("again")[0]
claims := []string{
	"The keeper left" + cite(strings.ToUpper("t")+"he keeper left in May."),
	"It failed twice" + cite("the pump failed again") + cite(hit),
	"All was quiet" + cite(slice),
}
sort.Strings(claims)
raw, _ := json.Marshal(claims)
var back []string
json.Unmarshal(raw, &back)
text := strings.Join(back, "\n") + "\nAgain: " + cite(slice) + " and [^999], [^77abc] and [^note]."
FINAL_VAR("text")`)}, nil)
	res, err := newRunner(t, model).Answer(
		timeout(t), "What happened?", runner.Text("logbook.txt", logbook), runner.Text("notes.txt", notes))
	require.NoError(t, err)

	in := "=== document 1: logbook.txt ===\n" + logbook + "\n=== document 2: notes.txt ===\n" + notes
	marks := aMark.FindAllString(res.Answer, -1)
	require.Len(t, marks, 5+1, res.Answer)
	require.Equal(t, marks[0], marks[4], "the same passage, the same mark")
	want := []trajectory.Evidence{
		{Document: "notes.txt", Line: 1, Quote: "A note: all quiet"},
		{Document: "logbook.txt", Line: 3, Quote: "the pump\n  failed again"},
		{Document: "logbook.txt", Line: 4, Quote: "  failed again."},
		{Document: "notes.txt", Line: 2, Quote: "The keeper left in May."},
	}
	for i := range want {
		want[i].Mark, want[i].Offset, want[i].Length = marks[i], int64(strings.Index(in, want[i].Quote)),
			int64(len(want[i].Quote))
	}
	require.Equal(t, want, res.Evidence)
	require.Equal(t, []string{"[^999]", "[^77abc]", "[^note]"}, res.UnknownMarks)
	require.Empty(t, res.Unverified)
}

func TestCiteRefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	res, err := newRunner(t, root([]string{
		fence(`fmt.Println(cite("the pump exploded at three"))`),
		fence(`fmt.Println(cite(""))`),
		fence(`fmt.Println(cite(grep("pump")))`),
		fence(`fmt.Println(cite(7))`),
		fence(`FINAL("It failed" + cite("all quiet."))`),
	}, nil)).Answer(timeout(t), "q", runner.Text("logbook.txt", logbook+notes))
	require.NoError(t, err)
	for i, text := range []string{
		`"the pump exploded at three" is not in the context, neither word for word nor with other white space, quotation marks or dashes; the nearest is, in line 1: "the pump failed at three"`,
		"the passage is empty", "it takes one passage; call it for each of them", "not a value of type int",
	} {
		require.Contains(t, res.Cells[i].Error.Message, text)
	}
	require.Contains(t, res.Cells[4].Notes[0], "stands there in 2 places; the first one is cited")
	require.Equal(t, 2, res.Evidence[0].Occurrences)
	require.Equal(t, int64(2), res.Evidence[0].Line)
}

// TestMarksInDocumentsAreData: text in a document that looks like a mark is not one, and is not reported.
func TestMarksInDocumentsAreData(t *testing.T) {
	t.Parallel()
	text := "See the appendix [^1] and the table [^2kvw].\n"
	res, err := newRunner(t, root(
		[]string{fence(`FINAL("It says: " + context + "; also [^5]." + cite(context[4:16]))`)}, nil)).
		Answer(timeout(t), "q", runner.Text("paper.md", text))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 1)
	require.Equal(t, "the appendix", res.Evidence[0].Quote)
	require.Equal(t, []string{"[^5]"}, res.UnknownMarks)
}

func TestQuotationsAreChecked(t *testing.T) {
	t.Parallel()
	res, err := newRunner(t, root(
		[]string{fence(`FINAL("He wrote “the pump failed again” and “the pump never failed again”.")`)}, nil)).
		Answer(timeout(t), "q", runner.Text("logbook.txt", logbook))
	require.NoError(t, err)
	require.Equal(t, []string{"the pump never failed again"}, res.Unverified)
	require.Empty(t, res.Evidence)
}

func TestRequiredEvidence(t *testing.T) {
	t.Parallel()
	policy := termination.DefaultPolicy(termination.Response)
	policy.RequireEvidence = true
	for name, c := range map[string]struct {
		replies     []string
		told        string // the message to the model, "" if the first answer is accepted
		unsupported string // part of the report on unsupported text; "" if none
		answer      string
	}{
		"supported": {[]string{fence(`FINAL("quiet" + cite("all quiet"))`)}, "", "", "quiet"},
		"then supported": {[]string{
			fence(`FINAL("quiet")`),
			fence(`FINAL("really quiet" + cite("all quiet"))`),
		}, "it has no mark of cite", "", "really quiet"},
		"never": {
			[]string{fence(`FINAL("quiet")`), fence(`FINAL("still quiet")`)},
			"it has no mark of cite", "the answer has no evidence", "still quiet",
		},
		"a mark that nobody gave": {
			[]string{fence(`FINAL("quiet [^9xyz]")`), fence(`FINAL("still quiet [^9xyz]")`)},
			"[^9xyz]", "[^9xyz]", "still quiet",
		},
		"unverified": {
			[]string{
				fence(`FINAL("“the pump never failed again”" + cite("all quiet"))`),
				fence(`FINAL("quiet" + cite("all quiet"))`),
			},
			"the pump never failed again", "", "quiet",
		},
		"unknown mark": {
			[]string{fence(`FINAL("quiet [^9xyz]")`), fence(`FINAL("quiet" + cite("all quiet"))`)},
			"[^9xyz]", "", "quiet",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root(c.replies, nil)
			res, err := newRunner(t, model, runner.WithPolicy(policy)).Answer(
				timeout(t), "q", runner.Text("logbook.txt", logbook))
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(res.Answer, c.answer), res.Answer)
			if c.told == "" {
				require.Equal(t, 1, res.Turns)
			} else {
				require.Equal(t, 2, res.Turns)
				require.Contains(t, model.Requests()[1].Messages[3].Content, c.told)
			}
			if c.unsupported == "" {
				require.Equal(t, termination.Completed, res.Status)
				require.Empty(t, res.Unsupported)
			} else {
				require.Equal(t, termination.EvidenceMissing, res.Status)
				require.Equal(t, exitcode.Limit, res.ExitCode())
				require.Contains(t, res.Unsupported, c.unsupported)
			}
		})
	}
}

// scriptedTree answers the root, and each child run by its question.
func scriptedTree(replies map[string]string) llm.Model {
	return llm.ScriptedFunc("tree", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		for question, reply := range replies {
			if question != "" && req.Key.Path != "" && strings.HasPrefix(req.Messages[1].Content, question+"\n") {
				return llm.Response{Content: reply}, nil
			}
		}
		return llm.Response{Content: replies[""]}, nil
	})
}

// TestEvidenceOfChildRuns checks marks of child runs whose context is a slice, is made of slices, or is another
// text.
func TestEvidenceOfChildRuns(t *testing.T) {
	t.Parallel()
	model := scriptedTree(map[string]string{
		"": fence(`a := rlm_query("slice", docs[1].Text)
b := rlm_query("joined", strings.ToValidUTF8(docs[0].Text, ""), docs[1].Text[:0]+"x")
c := rlm_query("own", "a text of nobody")
FINAL(a + " | " + b + " | " + c + " | " + cite("all quiet"))`),
		"slice":  fence(`FINAL("left" + cite(context[len("A note: all quiet.\n"):len(context)-1]))`),
		"joined": fence(`FINAL("failed" + cite("the pump failed at three"))`),
		"own":    fence(`FINAL("nobody" + cite("nobody"))`),
	})
	res, err := newRunner(t, model).Answer(
		timeout(t), "q", runner.Text("logbook.txt", logbook), runner.Text("notes.txt", notes))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 3, "%s", res.Answer)
	require.Equal(t, "The keeper left in May.", res.Evidence[0].Quote)
	require.Equal(t, "notes.txt", res.Evidence[0].Document)
	require.Equal(t, int64(2), res.Evidence[0].Line)
	require.Equal(t, "the pump failed at three", res.Evidence[1].Quote)
	require.Equal(t, "logbook.txt", res.Evidence[1].Document)
	require.Equal(t, "all quiet", res.Evidence[2].Quote)
	require.Len(t, res.UnknownMarks, 1, "a child's own text is no document")
	require.Contains(t, res.Answer, "nobody"+res.UnknownMarks[0])
}

// TestEvidenceWhileDocumentsComeAndGo: slices of earlier questions still refer to the same passages.
func TestEvidenceWhileDocumentsComeAndGo(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence(`quiet := docs[0].Text[9:14]
left := docs[1].Text[:11]
first := cite(left)
FINAL("one" + first)`),
		fence(`FINAL("two" + cite(left) + cite(quiet) + cite(docs[1].Text[:3]))`),
		fence(`FINAL("three" + cite(left) + first + cite(quiet))`),
	}, nil)
	s, err := newRunner(t, model).NewSession(
		timeout(t), runner.Text("a.txt", "Monday: quiet.\n"), runner.Text("b.txt", "The keeper left.\n"))
	require.NoError(t, err)
	defer s.Close()
	ask := func() runner.Result {
		res, err := s.Answer(timeout(t), "q")
		require.NoError(t, err)
		return res
	}
	one := ask()
	require.NoError(t, s.AddContext(timeout(t), runner.Text("c.txt", "New.\n")))
	two := ask()
	require.Equal(t, one.Evidence[0], two.Evidence[0])
	require.Equal(t, "a.txt", two.Evidence[1].Document)
	require.NoError(t, s.RemoveContext(timeout(t), "a.txt"))
	three := ask()
	require.Equal(t, one.Evidence[0].Mark, three.Evidence[0].Mark)
	require.Equal(t, "b.txt", three.Evidence[0].Document)
	require.Less(t, three.Evidence[0].Offset, one.Evidence[0].Offset, "the document has moved")
	require.Equal(t, "The keeper ", three.Evidence[0].Quote)
	require.False(t, three.Evidence[0].Gone)
	require.Len(t, three.Evidence, 2)
	require.Equal(t, "a.txt", three.Evidence[1].Document)
	require.True(t, three.Evidence[1].Gone)
}

// TestEvidenceSurvives: marks of earlier cells survive an interruption, a worker's death, a fork and reopening the
// session.
func TestEvidenceSurvives(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	replies := []string{
		fence(`first := cite(context[:6])`),
		fence(`second := cite(context[8:16])
fmt.Println(second)
` + deadly),
		fence(`third := cite("all quiet")`),
		fence(`FINAL(first + third)`),
	}
	var resumed atomic.Bool
	r := newRunner(t, llm.ScriptedFunc(
		"scripted", func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
			if req.Key.N == 3 && !resumed.Load() { // wait until the reader has interrupted after the third cell
				<-ctx.Done()
				return llm.Response{}, ctx.Err()
			}
			return llm.Response{Content: replies[req.Key.N]}, nil
		}))
	var res runner.Result
	for ev, err := range r.Run(ctx, "q", runner.Text("logbook.txt", logbook)) {
		if err != nil {
			break
		}
		res.Add(ev)
		if d, ok := ev.Data.(trajectory.CellEnded); ok && d.Cell == 3 {
			cancel()
		}
	}
	require.NotEmpty(t, res.RunID)
	require.False(t, res.HasAnswer)
	dead := aMark.FindString(res.Cells[1].Output)
	require.NotEmpty(t, dead)
	resumed.Store(true)
	res, err := runner.Collect(r.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 2)
	require.Equal(t, []string{"Monday", "all quiet"}, []string{res.Evidence[0].Quote, res.Evidence[1].Quote})
	require.NotEqual(t, dead, res.Evidence[1].Mark, "no number is given twice")
	for cell, err := range r.Replay(timeout(t), res.RunID) {
		require.NoError(t, err)
		require.True(t, cell.Same || cell.Skipped != "", "%+v", cell)
	}
	fork, err := runner.Collect(r.Fork(timeout(t), res.RunID, 3))
	require.NoError(t, err)
	require.Equal(t, res.Evidence, fork.Evidence)
}

func TestQuotesInTypedReplies(t *testing.T) {
	t.Parallel()
	asked := 0
	model := root([]string{fence(`type finding struct {
	What  string
	Quote string ` + "`cite:\"true\"`" + `
}
var found []finding
llm_query_json("What happened? "+docs[1].Text, &found, Source(docs[1]))
var all [][]finding
errs := llm_query_json_batched([]string{docs[0].Text, docs[1].Text}, &all, Source(docs[0], docs[1]))
fmt.Println(errs, len(all))
FINAL(cite(found[0].Quote) + cite(all[0][0].Quote) + cite(all[1][0].Quote))`)}, func(prompt string) (string, error) {
		asked++
		require.Contains(t, prompt, "verbatim quote")
		if asked == 1 {
			return `[{"What": "quiet", "Quote": "everything was quiet"}]`, nil
		}
		if asked == 2 {
			require.Contains(t, prompt, `"everything was quiet" is not in the text that was given`)
		}
		if asked == 3 {
			return `[{"What": "quiet", "Quote": "ａｌｌ quiet．"}]`, nil // typed again
		}
		return `[{"What": "quiet", "Quote": "all  quiet."}]`, nil
	})
	res, err := newRunner(t, model, runner.WithConcurrency(1)).Answer(
		timeout(t), "q", runner.Text("logbook.txt", logbook), runner.Text("notes.txt", notes))
	require.NoError(t, err)
	require.Equal(t, 4, asked)
	require.Len(t, res.Evidence, 2)
	require.Equal(t, "notes.txt", res.Evidence[0].Document)
	require.Equal(t, "logbook.txt", res.Evidence[1].Document)
	require.Equal(t, "all quiet.", res.Evidence[1].Quote)
	require.Equal(t, res.Evidence[0].Mark+res.Evidence[1].Mark+res.Evidence[0].Mark, res.Answer)
}
