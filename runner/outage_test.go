package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// killedAfter copies a run as if its process had been killed right after the first event for which stop is true.
// It returns the data folder of the copy.
func killedAfter(t *testing.T, r *runner.Runner, id string, stop func(trajectory.Event) bool) string {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "rlm", "runs", id)
	require.NoError(t, os.CopyFS(to, os.DirFS(filepath.Join(r.RunsDir(), id))))
	at := filepath.Join(to, "trajectory.jsonl")
	log, err := os.ReadFile(at)
	require.NoError(t, err)
	var keep []byte
	for line := range bytes.Lines(log) {
		keep = append(keep, line...)
		var ev trajectory.Event
		require.NoError(t, json.Unmarshal(line, &ev))
		if stop(ev) {
			require.NoError(t, os.WriteFile(at, keep, 0o600))
			return dir
		}
	}
	require.Fail(t, "the log has no such event")
	return ""
}

// eventsOf returns the events of a run.
func eventsOf(t *testing.T, r *runner.Runner, id string) (events []trajectory.Event) {
	t.Helper()
	for ev, err := range trajectory.Read(filepath.Join(r.RunsDir(), id)) {
		require.NoError(t, err)
		events = append(events, ev)
	}
	return events
}

// dataOf returns the payloads of one type in events.
func dataOf[D trajectory.Data](events []trajectory.Event) (out []D) {
	for _, ev := range events {
		if d, ok := ev.Data.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// unsteady is a sub-model that fails while broken is set.
type unsteady struct {
	broken atomic.Bool
	kind   llm.ErrorKind
	calls  atomic.Int64
}

func (u *unsteady) Name() string { return "unsteady" }

func (u *unsteady) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	u.calls.Add(1)
	if u.broken.Load() && req.Messages[len(req.Messages)-1].Content != "first" {
		return llm.Response{}, &llm.Error{Kind: u.kind, Message: "nobody answers here"}
	}
	return llm.Response{
		Content: "re:" + req.Messages[len(req.Messages)-1].Content, Model: "unsteady",
		Usage: llm.Usage{Prompt: 1, Completion: 1},
	}, nil
}

func TestABatchThatNobodyAnswersStopsTheRun(t *testing.T) {
	t.Parallel()
	for _, kind := range []llm.ErrorKind{llm.ErrAuth, llm.ErrQuota, llm.ErrUnavailable} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			sub := &unsteady{kind: kind}
			model := root([]string{
				fence(`first := llm_query("first")`),
				fence(`rs := llm_query_batched([]string{"a", "b", "c"})`),
				fence(`FINAL(first + " " + strings.Join(rs, " "))`),
			}, nil)
			r := newRunner(t, model, runner.WithSubModel(sub))
			sub.broken.Store(true)
			res, err := runner.Collect(r.Run(timeout(t), "q"))
			require.NoError(t, err)
			require.Equal(t, termination.ByEndpoint, res.EndedBy, res.Reason)
			require.Equal(t, string(kind), res.ErrorKind)
			require.Contains(t, res.Reason, "nobody answers here")
			require.Equal(t, 4, res.ExitCode())
			require.Len(t, model.Requests(), 2, "the model is not asked about it")

			sub.broken.Store(false)
			before := sub.calls.Load()
			res, err = runner.Collect(r.Resume(timeout(t), res.RunID))
			require.NoError(t, err)
			require.Equal(t, "re:first re:a re:b re:c", res.Answer, res.Reason)
			require.EqualValues(t, 3, sub.calls.Load()-before, "what nobody answered is asked again, and nothing else")
		})
	}
}

func TestAChildThatNobodyAnswersStopsTheRun(t *testing.T) {
	t.Parallel()
	sub := &unsteady{kind: llm.ErrAuth}
	sub.broken.Store(true)
	model := root([]string{fence(`x := rlm_query("q", "some text")`), fence(`FINAL(x)`)}, nil)
	r := newRunner(t, model, runner.WithSubModel(sub))
	res, err := runner.Collect(r.Run(timeout(t), "q"))
	require.NoError(t, err)
	require.Equal(t, 4, res.ExitCode(), res.Reason)

	child := llm.ScriptedFunc("unsteady", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: fence(`FINAL("from the child")`)}, nil
	})
	res, err = runner.Collect(
		newRunner(t, model, runner.WithSubModel(child), runner.WithDataDir(dataDir(r))).Resume(timeout(t), res.RunID))
	require.NoError(t, err)
	require.Equal(t, "from the child", res.Answer, res.Reason)
}

// dataDir returns the folder below which a runner keeps its runs.
func dataDir(r *runner.Runner) string { return filepath.Dir(filepath.Dir(r.RunsDir())) }

func TestSomeFailedCallsAreForTheModel(t *testing.T) {
	t.Parallel()
	sub := llm.ScriptedFunc("sub", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Messages[0].Content == "b" {
			return llm.Response{}, &llm.Error{Kind: llm.ErrUnavailable, Message: "busy"}
		}
		return llm.Response{Content: "re"}, nil
	})
	model := root([]string{fence(`rs := llm_query_batched([]string{"a", "b"})`), fence(`FINAL("went on")`)}, nil)
	res, err := newRunner(t, model, runner.WithSubModel(sub)).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "went on", res.Answer, res.Reason)
}

func TestACutSubCallIsTold(t *testing.T) {
	t.Parallel()
	sub := llm.ScriptedFunc("sub", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: "half of", FinishReason: "length"}, nil
	})
	model := root([]string{fence(`x := llm_query("a")`), fence(`FINAL(x)`)}, nil)
	r := newRunner(t, model, runner.WithSubModel(sub))
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	messages := model.Requests()[1].Messages
	require.Contains(t, messages[len(messages)-1].Content, "1 sub-call reply ended at the token limit")
	ended := dataOf[trajectory.SubCallEnded](eventsOf(t, r, res.RunID))
	require.Equal(t, "length", ended[0].FinishReason)
}

// modelFunc is a model whose type is not comparable.
type modelFunc func(llm.Request) (llm.Response, error)

func (f modelFunc) Name() string { return "func" }

func (f modelFunc) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	return f(req)
}

func TestAnyModelWill(t *testing.T) {
	t.Parallel()
	f := modelFunc(func(req llm.Request) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "sub"}, nil
		}
		return llm.Response{Content: fence(`FINAL(llm_query("a") + llm_query("b", Model("func")))`)}, nil
	})
	res, err := newRunner(t, f, runner.WithWindows(100_000, 100_000)).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "subsub", res.Answer, res.Reason)
}

var errMine = errors.New("my own reason")

func TestAPanicOfAModelIsAnErrorOfTheRun(t *testing.T) {
	t.Parallel()
	root := modelFunc(func(llm.Request) (llm.Response, error) { panic(errMine) })
	res, err := newRunner(t, root).Answer(timeout(t), "q")
	require.ErrorIs(t, err, errMine)
	require.Equal(t, err, res.Err)
	require.Contains(t, res.Reason, "panicked")
	require.Equal(t, termination.ByError, res.EndedBy)

	sub := modelFunc(func(req llm.Request) (llm.Response, error) {
		if req.Key.Cell > 0 {
			panic("in a sub-call")
		}
		if strings.Contains(req.Messages[len(req.Messages)-1].Content, "in a sub-call") {
			return llm.Response{Content: fence(`FINAL("it was told")`)}, nil
		}
		return llm.Response{Content: fence(`llm_query("a")`)}, nil
	})
	res, err = newRunner(t, sub).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "it was told", res.Answer, res.Reason)
}

func TestTheErrorOfAFailedRunCanBeReached(t *testing.T) {
	t.Parallel()
	m := modelFunc(func(llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.ErrAuth, Message: "no", Err: errMine}
	})
	r := newRunner(t, m)
	res, err := r.Answer(timeout(t), "q")
	require.ErrorIs(t, err, errMine)
	var call *llm.Error
	require.ErrorAs(t, res.Err, &call)

	// The log contains only the kind of the error.
	var read runner.Result
	for _, ev := range eventsOf(t, r, res.RunID) {
		read.Add(ev)
	}
	require.ErrorAs(t, read.Err, &call)
	require.Equal(t, llm.ErrAuth, call.Kind)
	require.NotErrorIs(t, read.Err, errMine)
}

func TestAnEmptyQuestionIsRefused(t *testing.T) {
	t.Parallel()
	r := newRunner(t, llm.NewScripted("m"))
	_, err := r.Answer(timeout(t), " \n")
	require.ErrorContains(t, err, "there is no question")
	runs, _ := os.ReadDir(r.RunsDir())
	require.Empty(t, runs, "no log is made for it")
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Answer(timeout(t), "")
	require.ErrorContains(t, err, "there is no question")
}

func TestSessionAnswer(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence("FINAL(1)")}, nil))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	res, err := s.Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Equal(t, "1", res.Answer)
	require.FileExists(t, res.Trajectory)
	_, err = s.Answer(timeout(t), "once more")
	var call *llm.Error
	require.ErrorAs(t, err, &call, "the script is at its end")
}
