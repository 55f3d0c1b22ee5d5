package repl

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// corpusContext returns the context that the corpus was written for.
func corpusContext() string {
	var b strings.Builder
	for i := range 23 {
		b.WriteString("Line of context number " + strings.Repeat("x", i%5) + "\n")
	}
	return b.String()
}

func corpusSession(t *testing.T, engine Engine) *session {
	return newSession(t, Config{Engine: engine, Context: corpusContext(), Builtins: []Builtin{
		{Name: "llm_query", Fn: func(p string) string { return "ans(" + p[:min(12, len(p))] + ")" }},
	}})
}

// oneCell matches code whose meaning changes when a cell is split: code that ends with the cell, jumps within it,
// or runs concurrently.
var oneCell = regexp.MustCompile(`(?m)^(defer |return|goto |\w+:\s*$|package |go |.*\.Go\()`)

// A cell prints the same if each of its statements and declarations is run as a separate cell: a session keeps
// between cells what Go keeps between statements.
func TestCellsCutIntoPieces(t *testing.T) {
	t.Parallel()
	var cut, pieces atomic.Int64
	t.Run("samples", func(t *testing.T) {
		for _, sample := range slices.Concat(slices.Collect(maps.Values(enginetest.Samples(t)))...) {
			if oneCell.MatchString(sample.Source) {
				continue
			}
			t.Run(sample.Name, func(t *testing.T) {
				t.Parallel()
				s := corpusSession(t, "")
				if whole, out := s.run(sample.Source); whole.Error != nil || out != sample.Want {
					return // tests of the engine cover failures
				}
				printed, n, why := runPieces(corpusSession(t, ""), sample.Source)
				if why != "" {
					require.NotContains(t, why, "the cell cannot be checked")
					t.Log(why)
					return
				}
				require.Equal(t, sample.Want, printed)
				cut.Add(1)
				pieces.Add(int64(n))
			})
		}
	})
	t.Logf("%d cells cut into %d", cut.Load(), pieces.Load())
	require.Greater(t, cut.Load(), int64(100))
}

// runPieces runs a source in the smallest pieces that compile.
func runPieces(s *session, source string) (printed string, pieces int, why string) {
	var out strings.Builder
	pending := ""
	for line := range strings.Lines(source) {
		pending += line
		if !cell.IsCell(pending) {
			continue
		}
		res, text := s.run(pending)
		if res.Error != nil && res.Error.Kind == cellerror.CompileError {
			why = res.Error.Message
			continue // the statement needs the following lines to compile
		}
		if res.Error != nil {
			return "", 0, res.Error.Message
		}
		out.WriteString(text)
		pending, why = "", ""
		pieces++
	}
	if strings.TrimSpace(pending) == "" {
		why = ""
	}
	return out.String(), pieces, why
}
