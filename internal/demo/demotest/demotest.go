// Package demotest replays the recordings of the examples in tests.
package demotest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Answer answers a question with recorded replies and everything else live. A recording is from a strong model, so
// the test fails if the answer is incomplete, not grounded, or was sent back. It is skipped if there is no
// recording.
func Answer(t *testing.T, replies, question string, inputs []runner.Input) runner.Result {
	t.Helper()
	recording, err := demo.Load(strings.NewReader(replies))
	require.NoError(t, err)
	if recording.Empty() {
		t.Skipf("SKIP %s: corpus/replies.jsonl is empty", t.Name())
	}
	r, err := runner.New(recording.Answers(), runner.WithDataDir(t.TempDir()))
	require.NoError(t, err)
	result, err := r.Answer(t.Context(), question, inputs...)
	require.NoError(t, err)
	require.EqualValues(t, "completed", result.Status, result.Reason)
	require.NotNil(t, result.Grounding)
	require.Equal(t, "grounded", result.Grounding.Verdict, "%+v", result.Grounding)
	read, err := r.Verify(t.Context(), result.RunID)
	require.NoError(t, err)
	require.Equal(t, result.Grounding, read.Grounding, "the log gives the same places as the run itself")
	for ev, err := range trajectory.Read(filepath.Dir(r.Trajectory(result.RunID))) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.Checked); ok {
			require.Zero(t, d, "an answer of a strong run is not sent back")
		}
	}
	return result
}
