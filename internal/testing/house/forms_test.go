package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLogsHaveOneForm checks that readers of a log decode the raw parts of its events with the types of package
// trajectory. The exceptions are parts that other packages define: a notebook's own results, which the runtime
// replays, and the settings of a run, of which each of these readers takes what it needs.
func TestLogsHaveOneForm(t *testing.T) {
	byHand := regexp.MustCompile(`(Unmarshal|NewReader|NewBuffer)\((\w+\.)+(Result|Restore|Config)\b`)
	exceptions := []string{
		"runner/internal/journal/records.go", "runner/cellresult.go", // a repl.Result, a sandbox.Restore
		"runner/reopen.go", "cmd/rlm/resume.go", // settings, needed to continue a run
		"internal/session/history/projection.go", "runner/trajectory/export/visualizer.go", // budgets, from settings
		"internal/front/terminal/sequence.go", // sequences, from settings
	}
	var found []string
	eachFile(t, func(file string, imports []string) {
		reads := slices.Contains(imports, "runner/trajectory")
		if !reads || strings.HasSuffix(file, "_test.go") {
			return
		}
		code, err := os.ReadFile(filepath.Join(root(t), file))
		require.NoError(t, err)
		if byHand.Match(code) {
			found = append(found, file)
		}
	})
	require.ElementsMatch(t, exceptions, found, "decode with package trajectory: CellEnded.Decode")
}
