package runner_test

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// endless is a text that continues until told to end.
type endless struct{ over atomic.Bool }

func (e *endless) Read(p []byte) (int, error) {
	if e.over.Load() {
		return 0, io.EOF
	}
	time.Sleep(time.Millisecond) // gigabytes are of no use
	return copy(p, strings.Repeat("a line\n", 64<<10)), nil
}

// TestReadingIsTold: the events of a run begin with the progress of reading its context; leaving then ends the
// reading. They are not in the log.
func TestReadingIsTold(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence("FINAL(len(docs))")}, nil))
	text := &endless{}
	var told []trajectory.Reading
	var all []trajectory.Event
	for ev, err := range r.Run(timeout(t), "q", runner.Reader("stdin", text), runner.Text("other", "x")) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.Reading); ok {
			require.Len(t, told, len(all), "they come first")
			require.Zero(t, ev.Seq)
			told = append(told, d)
		}
		all = append(all, ev)
		text.over.Store(true)
	}
	require.NotEmpty(t, told)
	require.Equal(t, 2, told[0].Of)
	require.Positive(t, told[0].Bytes)
	require.Positive(t, told[0].Elapsed)
	require.Equal(t, "2", all[len(all)-1].Data.(trajectory.RunEnded).Answer)

	for ev, err := range r.Run(timeout(t), "q", runner.Reader("stdin", &endless{})) {
		require.NoError(t, err)
		require.IsType(t, trajectory.Reading{}, ev.Data)
		break
	}
}
