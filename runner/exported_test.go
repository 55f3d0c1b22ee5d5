package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// tripling returns a model that changes x with each question, by a different number each time, and answers with it.
func tripling() llm.Model {
	questions := 0
	return llm.ScriptedFunc("tripling", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if strings.Contains(req.Messages[len(req.Messages)-1].Content, "[cell") {
			return llm.Response{Content: "```go\nFINAL(x)\n```"}, nil
		}
		questions++
		return llm.Response{Content: fmt.Sprintf(
			"Now x changes.\n\n```go\nx = 3*x + %d\nfmt.Println(x)\n```", questions)}, nil
	})
}

// codeCells returns the sources of a notebook's code cells.
func codeCells(t *testing.T, dir string) (sources []string) {
	t.Helper()
	var b strings.Builder
	require.NoError(t, export.Notebook(&b, trajectory.Read(dir)))
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source string `json:"source"`
		} `json:"cells"`
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &notebook))
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			sources = append(sources, c.Source)
		}
	}
	return sources
}

// An exported notebook computes the values of its session, even if questions were undone or cells stopped.
func TestAnExportedNotebookRunsToTheValuesOfItsSession(t *testing.T) {
	t.Parallel()
	sequences := 12
	if os.Getenv("RLM_LONG") != "" {
		sequences = 200
	}
	var stopped atomic.Pointer[context.CancelFunc]
	r := newRunner(t, tripling(),
		runner.WithTool("stopped", "The cell is stopped here.", func(ctx context.Context) error {
			(*stopped.Load())()
			<-ctx.Done()
			return ctx.Err()
		}))
	file := filepath.Join(t.TempDir(), "lines.txt")
	for seed := range sequences {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		require.NoError(t, os.WriteFile(file, []byte("a line\n"), 0o600))
		s, err := r.NewSession(t.Context(), runner.Path(file))
		require.NoError(t, err)
		value := func(s *runner.Session) string {
			res, err := s.Exec(t.Context(), "x")
			require.NoError(t, err)
			require.Nil(t, res.Error)
			return res.Value
		}
		exec := func(s *runner.Session, source string) {
			res, err := s.Exec(t.Context(), source)
			require.NoError(t, err)
			require.Nil(t, res.Error, source)
		}
		exec(s, "x := 1")
		var did []string
		for range 1 + random.IntN(4) {
			op := []string{
				"ask", "own cell", "undo", "fork", "stop in a call", "stop", "reread",
				"reopen",
			}[random.IntN(8)]
			did = append(did, op)
			switch op {
			case "ask":
				_, err := s.Answer(t.Context(), "what is x?")
				require.NoError(t, err)
			case "own cell":
				exec(s, fmt.Sprintf("x = 7*x + %d", random.IntN(100)))
			case "undo":
				_ = s.Undo(t.Context()) // fails if there is nothing to undo
			case "fork":
				fork, err := s.Fork(t.Context())
				require.NoError(t, err)
				require.NoError(t, s.Close())
				s = fork
			case "stop in a call", "stop": // stopping a cell that computes undoes its effects
				ctx, stop := context.WithCancel(t.Context())
				stopped.Store(&stop)
				source := fmt.Sprintf("x = 11*x + %d\nstopped()\nx = 0", random.IntN(100))
				if op == "stop" {
					source = fmt.Sprintf("x = 13*x + %d\ngo stopped()\nfor {\n}", random.IntN(100))
				}
				res, err := s.Exec(ctx, source)
				require.NoError(t, err)
				require.NotNil(t, res.Error, source)
			case "reread":
				require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "%d lines\n", random.IntN(1000)), 0o600))
				require.NoError(t, s.Reread(t.Context()))
			case "reopen":
				id := s.ID()
				require.NoError(t, s.Close())
				s, err = r.OpenSession(t.Context(), id)
				require.NoError(t, err)
			}
		}
		want := value(s)
		again, err := r.NewSession(t.Context(), runner.Path(file))
		require.NoError(t, err)
		for _, source := range codeCells(t, s.Dir()) {
			_, err := again.Exec(t.Context(), source)
			require.NoError(t, err)
		}
		require.Equal(t, want, value(again), "%d: %v", seed, did)
		require.NoError(t, s.Close())
		require.NoError(t, again.Close())
	}
}
