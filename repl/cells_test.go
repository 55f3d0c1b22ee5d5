package repl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// sample is a cell and what the real compiler's program prints.
type sample struct{ name, source, want string }

// corpus is the engine's collection of cells.
func corpus(t *testing.T) []sample {
	t.Helper()
	var out []sample
	files, err := filepath.Glob("internal/engine/enginetest/testdata/cells/*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
		require.NoError(t, err)
		out = append(out, sample{filepath.Base(file), string(source), string(want)})
	}
	archives, err := filepath.Glob("internal/engine/enginetest/testdata/corpus/*.txtar")
	require.NoError(t, err)
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for i, f := range archive.Files {
			if name, ok := strings.CutSuffix(f.Name, ".go"); ok && i+1 < len(archive.Files) && archive.Files[i+1].Name == name+".out" {
				out = append(out, sample{name, string(f.Data), string(archive.Files[i+1].Data)})
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// corpusContext is the context that the corpus was written for.
func corpusContext() string {
	var b strings.Builder
	for i := range 23 {
		b.WriteString("Line of context number " + strings.Repeat("x", i%5) + "\n")
	}
	return b.String()
}

func corpusSession(t *testing.T) *session {
	return newSession(t, Config{Context: corpusContext(), Builtins: []Builtin{
		{Name: "llm_query", Fn: func(p string) string { return "ans(" + p[:min(12, len(p))] + ")" }},
	}})
}

// oneCell matches what means something else when a cell is cut in pieces: it ends with the cell, or jumps within it.
var oneCell = regexp.MustCompile(`(?m)^(defer |return|goto |\w+:\s*$|package |go )`)

// A cell that is cut into one cell for each of its statements and declarations prints the same: what a session keeps between
// cells is what Go keeps between statements.
func TestCellsCutIntoPieces(t *testing.T) {
	cut, pieces := 0, 0
	for _, sample := range corpus(t) {
		if oneCell.MatchString(sample.source) {
			continue
		}
		s := corpusSession(t)
		if whole, out := s.run(sample.source); whole.Error != nil || out != sample.want {
			continue // the engine's tests are about that
		}
		printed, n, why := runPieces(corpusSession(t), sample.source)
		if why != "" {
			require.NotContains(t, why, "the cell cannot be checked", sample.name)
			t.Logf("%s: %s", sample.name, why)
			continue
		}
		require.Equal(t, sample.want, printed, sample.name)
		cut++
		pieces += n
	}
	t.Logf("%d cells cut into %d", cut, pieces)
	require.Greater(t, cut, 100)
}

// runPieces runs a source in the smallest pieces that compile.
func runPieces(s *session, source string) (printed string, pieces int, why string) {
	var out strings.Builder
	pending := ""
	for line := range strings.Lines(source) {
		pending += line
		if !cell.LooksLikeGo(pending) {
			continue
		}
		res, text := s.run(pending)
		if res.Error != nil && res.Error.Kind == KindCompileError {
			why = res.Error.Message
			continue // it needs what follows
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
