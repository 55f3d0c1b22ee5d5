package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// counted answers by the content of a request, so that requests may come in any order, and counts each call by its
// key.
type counted struct {
	delay time.Duration

	mu    sync.Mutex
	calls map[llm.Key]int
}

func (c *counted) Name() string { return "counted" }

func (c *counted) Generate(ctx context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: err}
	}
	c.mu.Lock()
	if c.calls == nil {
		c.calls = map[llm.Key]int{}
	}
	c.calls[req.Key]++
	c.mu.Unlock()
	time.Sleep(c.delay)
	return llm.Response{
		Content: c.reply(req), Model: "counted", FinishReason: "stop", Attempts: 1,
		Usage: llm.Usage{Prompt: 10, Completion: 5},
	}, nil
}

func (c *counted) reply(req llm.Request) string {
	if req.Key.Cell > 0 {
		return "re:" + req.Messages[len(req.Messages)-1].Content
	}
	if req.Key.Path != "" {
		return []string{
			fence(`x := llm_query("from " + context)
fmt.Println(x)`),
			fence(`FINAL(x + "!")`),
		}[req.Key.N]
	}
	return []string{
		fence(`var log []string
log = append(log, llm_query_batched([]string{"a", "b", "c"})...)
fmt.Println(len(log), rand.Intn(1000000), time.Now().UnixNano())`) + fence(`log = append(log, "own")`),
		"Let me think about it.",
		fence(`log = append(log, rlm_query_batched([]string{"q1", "q2"}, "one", "two")...)
fmt.Println(strings.Join(log, " "))`),
		fence(`panic("on purpose " + log[0])`),
		fence(`log = append(log, llm_query("last"))
FINAL(strings.Join(log, " "))`),
	}[req.Key.N]
}

func (c *counted) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, v := range c.calls {
		n += v
	}
	return n
}

const countedAnswer = "re:a re:b re:c own re:from one! re:from two! re:last"

// undisturbed runs the script once and returns the id and the number of calls.
func undisturbed(t *testing.T, dir string) (id string, calls int, res runner.Result) {
	t.Helper()
	model := &counted{}
	r := newRunner(t, model, runner.WithDataDir(dir))
	res, err := r.Answer(timeout(t), "question", runner.Text("t", "some text"))
	require.NoError(t, err)
	require.Equal(t, countedAnswer, res.Answer, res.Reason)
	return res.RunID, model.total(), res
}

func TestResumeAtEveryEvent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, calls, whole := undisturbed(t, dir)
	require.Equal(t, 15, calls)
	source := filepath.Join(dir, "rlm", "runs", id)
	log, err := os.ReadFile(filepath.Join(source, "trajectory.jsonl"))
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n")

	step := 1
	if os.Getenv("RLM_LONG") == "" {
		step = 5
		t.Log("every fifth event only; RLM_LONG=1 for all")
	}
	for n := 3; n < len(lines); n += step {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			killed := t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(killed, "rlm", "runs", id), os.DirFS(source)))
			at := filepath.Join(killed, "rlm", "runs", id, "trajectory.jsonl")
			require.NoError(t, os.WriteFile(at, []byte(strings.Join(lines[:n], "")), 0o600))
			paid, open := recordedCalls(t, lines[:n])

			model := &counted{}
			r := newRunner(t, model, runner.WithDataDir(killed))
			res, err := runner.Collect(r.Resume(timeout(t), id))
			require.NoError(t, err)
			require.Equal(t, countedAnswer, res.Answer, res.Reason)
			require.Equal(t, calls-paid, model.total(), "not one recorded call is repeated (%d were under way)", open)
			require.Equal(t, whole.SubCalls, res.SubCalls)
			require.Equal(t, whole.Usage["counted"].Prompt, res.Usage["counted"].Prompt)
			require.Equal(t, whole.Turns, res.Turns)
			require.Len(t, res.Cells, len(whole.Cells))
		})
	}
}

// recordedCalls counts the model calls with a reply in the log, and those in flight.
func recordedCalls(t *testing.T, lines []string) (paid, open int) {
	for _, line := range lines {
		var ev trajectory.Event
		require.NoError(t, json.Unmarshal([]byte(line), &ev))
		switch d := ev.Data.(type) {
		case trajectory.ReplyReceived:
			paid++
		case trajectory.SubCallStarted:
			if d.Impl == "llm_query" {
				open++
			}
		case trajectory.SubCallEnded:
			if d.Usage.Prompt > 0 {
				paid++
				open--
			}
		}
	}
	return paid, open
}

func TestResumeAfterInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	model := &counted{}
	r := newRunner(t, model, runner.WithDataDir(dir))
	var id string
	for ev, err := range r.Run(ctx, "question", runner.Text("t", "some text")) {
		require.NoError(t, err)
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if ev.Path == "" {
				id = d.Run
			}
		case trajectory.SubCallEnded:
			if ev.Path != "" {
				cancel()
			}
		}
	}
	res, err := runner.Collect(r.Resume(timeout(t), id))
	require.NoError(t, err)
	require.Equal(t, countedAnswer, res.Answer)
	_, err = runner.Collect(r.Resume(timeout(t), id))
	require.ErrorContains(t, err, "complete")
}

func TestResumeAfterEndpointFailure(t *testing.T) {
	t.Parallel()
	var broken bool
	model := root([]string{fence("x := llm_query(\"a\")"), fence("FINAL(x)")}, func(p string) (string, error) {
		return "re:" + p, nil
	})
	flaky := llm.ScriptedFunc("flaky", func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
		if broken && req.Key.N == 1 && req.Key.Cell == 0 {
			return llm.Response{}, &llm.Error{Kind: llm.ErrQuota, Message: "no money left"}
		}
		return model.Generate(ctx, req, nil)
	})
	r := newRunner(t, flaky)
	broken = true
	res, err := r.Answer(timeout(t), "q")
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, llm.ErrQuota, failed.Kind)
	require.Equal(t, 4, res.ExitCode())
	require.Equal(t, "quota", res.ErrorKind)
	broken = false
	res, err = runner.Collect(r.Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "re:a", res.Answer)
	require.Len(t, model.Requests(), 3)
}

func TestReplayIsIdentical(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, _, res := undisturbed(t, dir)
	r := newRunner(t, llm.NewScripted("none"), runner.WithDataDir(dir))
	cells := 0
	for c, err := range r.Replay(timeout(t), id) {
		require.NoError(t, err)
		require.True(t, c.Same, "cell %d of %q: before\n%s\nafter\n%s", c.Cell, c.Path, c.Before, c.After)
		cells++
	}
	require.Equal(t, len(res.Cells)+4, cells, "with those of the two child runs")
}

func TestReplayShowsADifference(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, _, _ := undisturbed(t, dir)
	at := filepath.Join(dir, "rlm", "runs", id, "trajectory.jsonl")
	log, err := os.ReadFile(at)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at,
		[]byte(strings.Replace(string(log), `"output":"re:a re:b re:c own`, `"output":"re:a re:b re:X own`, 1)), 0o600))
	r := newRunner(t, llm.NewScripted("none"), runner.WithDataDir(dir))
	var differing []runner.ReplayedCell
	for c, err := range r.Replay(timeout(t), id) {
		require.NoError(t, err)
		if !c.Same {
			differing = append(differing, c)
		}
	}
	require.Len(t, differing, 1)
	require.Contains(t, differing[0].Before, "re:X")
	require.Contains(t, differing[0].After, "re:c")
}

func TestForkGoesOnLive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, _, _ := undisturbed(t, dir)
	other := llm.ScriptedFunc("other", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.N != 3 {
			return llm.Response{}, errors.New("turns before the fork must not be asked again")
		}
		return llm.Response{Content: fence(`FINAL("fork: " + log[4])`)}, nil
	})
	r := newRunner(t, llm.NewScripted("none"), runner.WithDataDir(dir))
	res, err := runner.Collect(r.Fork(timeout(t), id, 3, runner.WithModel(other)))
	require.NoError(t, err)
	require.Equal(t, "fork: re:from one!", res.Answer)
	require.NotEqual(t, id, res.RunID)
	require.Len(t, other.Requests(), 1)

	_, err = runner.Collect(r.Fork(timeout(t), id, 9))
	require.ErrorContains(t, err, "5 turns")
}

func TestRecordingAnswersAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, _, res := undisturbed(t, dir)
	model, err := runner.Recording("recorded", trajectory.Read(filepath.Join(dir, "rlm", "runs", id)), nil)
	require.NoError(t, err)
	again, err := newRunner(t, model).Answer(timeout(t), "question", runner.Text("t", "some text"))
	require.NoError(t, err)
	require.Equal(t, res.Answer, again.Answer)
	require.Equal(t, res.SubCalls, again.SubCalls)
}

func TestOneProcessAtATime(t *testing.T) {
	t.Parallel()
	r := newRunner(t, llm.NewScripted("m"))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	_, err = r.OpenSession(timeout(t), s.ID())
	require.ErrorContains(t, err, fmt.Sprint(os.Getpid()), "the owner is named")
}

func TestResumeAfterALimit(t *testing.T) {
	t.Parallel()
	model := root([]string{fence("x := 1\nfmt.Println(x)"), "I need more time.", fence("FINAL(x + 1)")}, nil)
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Iterations: 1}))
	res, err := r.Answer(timeout(t), "the question")
	require.NoError(t, err)
	require.Equal(t, termination.MaxIterations, res.Status)
	res, err = runner.Collect(r.Resume(timeout(t), res.RunID, runner.WithBudgets(runner.Budgets{Iterations: 5})))
	require.NoError(t, err)
	require.Equal(t, "2", res.Answer, "the notebook is as it was")
	messages := model.Requests()[2].Messages
	require.Contains(t, messages[len(messages)-1].Content, "The budget was raised")
	require.Contains(t, messages[len(messages)-1].Content, "the question")
}
