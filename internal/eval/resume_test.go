package eval_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// TestARunUnderWayIsResumed: an evaluation that stops in the middle of a run goes on with that run, and asks nothing again.
func TestARunUnderWayIsResumed(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "r")
	var calls atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	evaluate := func(ctx context.Context, second func() (llm.Response, error)) ([]eval.Result, error) {
		m := llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
			calls.Add(1)
			if len(req.Messages) == 2 {
				return llm.Response{Content: "```go\nfound := 6 * 7\n```"}, nil
			}
			return second()
		})
		r, err := runner.New(m, runner.WithDataDir(dir))
		if err != nil {
			t.Fatal(err)
		}
		return eval.Evaluation{Items: items(t, "s-niah", 1, 1000), Arms: []eval.Arm{eval.RLM("rlm", "", r, nil)}, Results: results}.Run(ctx)
	}
	_, err := evaluate(ctx, func() (llm.Response, error) {
		stop()
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "stopped", Err: context.Canceled}
	})
	if !errors.Is(err, context.Canceled) || calls.Load() != 2 {
		t.Fatalf("%v after %d calls", err, calls.Load())
	}
	if kept, err := eval.ReadResults(results); err != nil || len(kept) != 0 {
		t.Fatalf("%v, %+v", err, kept)
	}
	got, err := evaluate(t.Context(), func() (llm.Response, error) { return llm.Response{Content: "```go\nFINAL(found)\n```"}, nil })
	if err != nil || len(got) != 1 || got[0].Answer != "42" || got[0].Turns != 2 || got[0].Cells != 2 || calls.Load() != 3 {
		t.Errorf("%v, %+v after %d calls", err, got, calls.Load())
	}
	if again, err := evaluate(t.Context(), nil); err != nil || again[0].Run != got[0].Run || calls.Load() != 3 {
		t.Errorf("again: %v, %+v after %d calls", err, again, calls.Load())
	}
}

// TestFailuresAreAskedAgain where that is wanted, and only they.
func TestFailuresAreAskedAgain(t *testing.T) {
	results := filepath.Join(t.TempDir(), "r")
	var calls atomic.Int64
	run := func(fails, retry bool) eval.Report {
		m := scripted("m", func(_ context.Context, req llm.Request) (string, error) {
			if calls.Add(1)%2 == 0 && fails {
				return "", errors.New("overloaded")
			}
			return "x", nil
		})
		got, err := eval.Evaluation{Items: items(t, "s-niah", 10, 1000), Arms: []eval.Arm{eval.Direct(plain(m, 8000))}, Results: results, Retry: retry}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return eval.NewReport(got, 1)
	}
	if rep := run(true, false); len(rep.Failures) != 5 || calls.Load() != 10 {
		t.Errorf("%d failures of %d calls", len(rep.Failures), calls.Load())
	}
	if rep := run(false, false); len(rep.Failures) != 5 || calls.Load() != 10 {
		t.Errorf("kept: %d failures of %d calls", len(rep.Failures), calls.Load())
	}
	if rep := run(false, true); len(rep.Failures) != 0 || calls.Load() != 15 {
		t.Errorf("again: %d failures of %d calls", len(rep.Failures), calls.Load())
	}
	if kept, err := eval.ReadResults(results); err != nil || len(kept) != 10 {
		t.Errorf("%v, %d results", err, len(kept))
	}
}
