package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// TestVerifyAfterChanges: words that stand where they stood hold, also if the same words stand before them; others are found wherever
// they are now, all of them in one reading.
func TestVerifyAfterChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.txt")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	text := "all quiet\nall quiet\nthe pump failed\nthe keeper left\n"
	write(text)
	r := newRunner(t, root([]string{fence(`FINAL(cite(context[10:19]) + cite("the pump failed") + cite("the keeper left"))`)}, nil))
	res, err := r.Answer(timeout(t), "q", runner.Path(file))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 3)
	type state struct {
		state runner.PassageState
		line  int64
	}
	for name, c := range map[string]struct {
		text string
		want []state
	}{
		"as it was":        {text, []state{{runner.PassageHolds, 2}, {runner.PassageHolds, 3}, {runner.PassageHolds, 4}}},
		"longer":           {text + "the end\n", []state{{runner.PassageHolds, 2}, {runner.PassageHolds, 3}, {runner.PassageHolds, 4}}},
		"one line more":    {"Monday\n" + text, []state{{runner.PassageHolds, 2}, {runner.PassageMoved, 4}, {runner.PassageMoved, 5}}},
		"one is gone":      {strings.Replace(text, "pump", "pipe", 1), []state{{runner.PassageHolds, 2}, {runner.PassageLost, 0}, {runner.PassageHolds, 4}}},
		"shorter than it":  {"all\n", []state{{runner.PassageLost, 0}, {runner.PassageLost, 0}, {runner.PassageLost, 0}}},
		"in another order": {"the keeper left\nthe pump failed\nall quiet\n", []state{{runner.PassageMoved, 3}, {runner.PassageMoved, 2}, {runner.PassageMoved, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			write(c.text)
			v, err := r.Verify(timeout(t), res.RunID)
			require.NoError(t, err)
			var got []state
			for _, p := range v.Passages {
				got = append(got, state{p.State, p.Line})
			}
			require.Equal(t, c.want, got)
		})
	}
}
