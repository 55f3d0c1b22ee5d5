package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
	"github.com/gorlm/rlm/sandbox"
)

// A session that starts in yaegi and switches engines automatically prints what the compiled program prints, for
// every cell of the corpus. Cells that yaegi refuses, that panic or that compute for long move to the exact engine,
// in a separate worker.
func TestAutoRunsTheCorpus(t *testing.T) {
	enginetest.CellsBy(t, "auto", sessions(t))
}

func TestAutoRunsGosOwnTests(t *testing.T) {
	enginetest.GorootBy(t, "auto", sessions(t))
}

func TestAutoRunsRandomPrograms(t *testing.T) {
	enginetest.RandomBy(t, "auto", sessions(t))
}

// sessions runs each cell as the first one of a session with --engine auto.
func sessions(t *testing.T) enginetest.Runner {
	workers := sandbox.NewWorkers(0, 0)
	t.Cleanup(func() { require.NoError(t, workers.Close()) })
	file, size := contextFile(t)
	return func(source string) (came enginetest.Came) {
		s, err := sandbox.New(t.Context(), sandbox.Config{
			Engine: sandbox.Auto, Level: sandbox.Basic, Workers: workers,
			Limits:   sandbox.Limits{CellTime: 20 * time.Second, Output: 1 << 20},
			Builtins: builtins.Standard(answer.Response), Call: answerShortly,
			Context: sandbox.Context{File: file, Size: size},
		})
		if err != nil {
			return enginetest.Came{Failed: err.Error()}
		}
		defer func() { _ = s.Close() }()
		res, err := s.Run(t.Context(), sandbox.Cell{Source: source})
		switch {
		case err != nil:
			came.Failed = err.Error()
		case res.Error == nil:
		case res.Error.Kind == cellerror.Refused:
			came.Refused = res.Error.Error()
		default:
			came.Failed, came.Slow = res.Error.Error(), res.Error.Kind == cellerror.Timeout
		}
		came.Out = res.Output
		return came
	}
}

// contextFile writes the context that the cells of the corpus were written for.
func contextFile(t *testing.T) (*os.File, int64) {
	path, text := filepath.Join(t.TempDir(), "context"), enginetest.SampleContext()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, int64(len(text))
}

// answerShortly answers a call as the notebooks of package enginetest do.
func answerShortly(_ context.Context, c sandbox.Call) sandbox.Reply {
	return sandbox.Reply{Body: []byte("ans(" + string(c.Body[:min(12, len(c.Body))]) + ")")}
}
