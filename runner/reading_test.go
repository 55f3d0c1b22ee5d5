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

// endless is a text that continues until over is set.
type endless struct{ over atomic.Bool }

func (e *endless) Read(p []byte) (int, error) {
	if e.over.Load() {
		return 0, io.EOF
	}
	time.Sleep(time.Millisecond) // a slow reader, so that the text does not reach gigabytes
	return copy(p, strings.Repeat("a line\n", 64<<10)), nil
}

// TestReadingIsTold: the events of a run begin with the progress of reading its context, which the log does not
// contain. A reader that stops early ends the reading.
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
