package runner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// citingCells cite slices and copies, in racing goroutines and in a child run, and use marks in prompts of paid
// calls.
var citingCells = []string{
	`first := cite(docs[0].Text[:17])
copied := cite(strings.Join([]string{"the keeper", "left"}, " "))
judged := llm_query("is it so: " + first)`,
	`words := strings.Fields(docs[2].Text)
pairs := make([]string, len(words))
func() {
	var wg sync.WaitGroup
	for i, w := range words { wg.Go(func() { s := 0; for j := range 500 + rand.Intn(2000) { s += j }; pairs[i] = cite(w) + "=" + w }) }
	wg.Wait()
}()
fmt.Println(pairs[0])`,
	`replies := llm_query_batched(pairs)
fmt.Println(len(replies))`,
	`left := rlm_query("who left?", docs[1].Text)
again := cite(docs[0].Text[:17])`,
	`FINAL(strings.Join(append(pairs, first+"="+docs[0].Text[:17], copied+"=the keeper left", left, again+"="+docs[0].Text[:17]), "\n"))`,
}

const citingChild = `FINAL(cite(context[4:15]) + "=" + context[4:15])`

// citing answers like slowly, except that its child runs cite.
type citing struct{ *slowly }

func (m citing) Generate(ctx context.Context, req llm.Request, delta func(llm.Delta)) (llm.Response, error) {
	if req.Key.Cell == 0 && req.Key.Path != "" {
		return llm.Response{Content: fence(citingChild), Model: "citing", FinishReason: "stop", Attempts: 1}, nil
	}
	return m.slowly.Generate(ctx, req, delta)
}

// citedInputs returns the inputs of citingCells.
func citedInputs() []runner.Input {
	var words []string
	for i := range 24 {
		words = append(words, fmt.Sprint("word", i*i))
	}
	return []runner.Input{
		runner.Text("a.txt", "Monday: all quiet.\n"), runner.Text("b.txt", "And the keeper left.\n"),
		runner.Text("c.txt", strings.Join(words, " ")+"\n"),
	}
}

// doomedCite is the environment variable that makes this binary a process with one run that cites and will be
// killed.
const doomedCite = "RLM_TEST_DOOMED_CITE"

func runDoomedCite(dir string) error {
	r, err := runner.New(citing{newSlowly(citingCells)}, runner.WithDataDir(dir))
	if err != nil {
		return err
	}
	_, err = r.Answer(context.Background(), "q", citedInputs()...)
	return err
}

// requireCited requires that each mark in the answer of citingCells refers to the words after it.
func requireCited(t *testing.T, res runner.Result) {
	t.Helper()
	require.True(t, res.HasAnswer, res.Reason)
	require.Empty(t, res.UnknownMarks, res.Answer)
	quotes := map[string]string{}
	for _, e := range res.Evidence {
		quotes[e.Mark] = e.Quote
	}
	lines := strings.Split(res.Answer, "\n")
	require.Len(t, lines, 24+4)
	for _, line := range lines {
		mark, words, _ := strings.Cut(line, "=")
		require.Equal(t, words, quotes[mark], "%s in\n%s", mark, res.Answer)
	}
	require.Equal(t, lines[24], lines[27], "the same passage, the same mark")
	require.True(t, strings.HasPrefix(lines[24], "[^1") && strings.HasPrefix(lines[25], "[^2"), res.Answer)
}

// TestMarksOfKilledRuns: a run that cites and is killed at a random moment continues with the same marks for the
// same passages, and pays for no call twice, although prompts contain marks that goroutines got in any order.
func TestMarksOfKilledRuns(t *testing.T) {
	t.Parallel()
	for i := range trialCount(t, 6, 60, 300) {
		after := time.Duration(rand.Int64N(int64(500 * time.Millisecond)))
		t.Run(fmt.Sprint(i, " after ", after.Round(time.Millisecond)), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), doomedCite+"="+dir)
			cmd.Stderr = os.Stderr
			require.NoError(t, cmd.Start())
			log := waitForCell(t, dir, 1)
			time.Sleep(after)
			_ = cmd.Process.Kill() // the process may have ended
			_ = cmd.Wait()

			model := citing{newSlowly(citingCells)}
			r := newRunner(t, model, locked, runner.WithDataDir(dir))
			id := filepath.Base(log)
			past := eventsOf(t, r, id)
			res, err := runner.Collect(r.Resume(timeout(t), id))
			if err != nil {
				require.ErrorContains(t, err, "is complete")
				res = runner.Result{}
				for _, ev := range past {
					res.Add(ev)
				}
			}
			requireCited(t, res)
			requirePaidOnce(t, past, model.slowly)
			for _, d := range dataOf[trajectory.Restored](eventsOf(t, r, id)) {
				require.Empty(t, d.Lost)
				require.Empty(t, d.Differing, "marks are the same after a rebuild")
			}
		})
	}
}

// requirePaidOnce requires that a model was not asked for recorded replies.
func requirePaidOnce(t *testing.T, past []trajectory.Event, model *slowly) {
	t.Helper()
	prompts := map[string]string{}
	for _, ev := range past {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			prompts[fmt.Sprint(d.Cell, d.Hash, d.N)] = d.Prompt.String()
		case trajectory.SubCallEnded:
			prompt := prompts[fmt.Sprint(d.Cell, d.Hash, d.N)]
			require.Zero(t, model.asked[prompt], "%q was paid for and is asked again", prompt)
		}
	}
}

// TestMarksAfterADeath: marks stay the same when a cell runs again, after the death of its worker or in a replay,
// although its goroutines then cite in another order.
func TestMarksAfterADeath(t *testing.T) {
	t.Parallel()
	cells := append([]string{}, citingCells[:2]...)
	cells = append(cells, deadly)
	cells = append(cells, citingCells[2:]...)
	for range trialCount(t, 2, 20, 100) {
		r := newRunner(t, citing{newSlowly(cells)})
		res, err := r.Answer(timeout(t), "q", citedInputs()...)
		require.NoError(t, err)
		requireCited(t, res)
		for _, c := range res.Cells {
			require.NotContains(t, strings.Join(c.Notes, " "), "differ", "marks are the same after a rebuild")
		}
		for cell, err := range r.Replay(timeout(t), res.RunID) {
			require.NoError(t, err)
			require.True(t, cell.Same || cell.Skipped != "", "%+v", cell)
		}
	}
}
