package session

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// stopped is a model that is asked and never answers.
type stopped struct{ asked chan struct{} }

func (stopped) Name() string { return "stopped" }

func (m stopped) Generate(ctx context.Context, _ llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	close(m.asked)
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

// TestAFreeSessionIsNotListedAsRunning: a listing may read the log before its run ends, and the state afterwards.
func TestAFreeSessionIsNotListedAsRunning(t *testing.T) {
	model := stopped{make(chan struct{})}
	r := newRunner(t, model, t.TempDir())
	m := NewPrivate(Config{Runner: r, MaxRuns: 1})
	defer func() { require.NoError(t, m.Close()) }()
	l, err := m.Create(t.Context())
	require.NoError(t, err)
	done := make(chan error, 1)
	_, err = l.Start(Actor{}, Task{Name: "ask", Do: func(ctx context.Context, s *runner.Session) error {
		var ended error
		for _, err := range s.Ask(ctx, "what?") {
			ended = err
		}
		return ended
	}, Done: func(err error) { done <- err }})
	require.NoError(t, err)
	<-model.asked
	var read trajectory.Summary
	require.Eventually(t, func() bool { // the start of a run may reach the disk after its model is asked
		read, err = trajectory.Summarize(l.Dir())
		return err == nil && read.Status == trajectory.StatusRunning
	}, 30*time.Second, time.Millisecond)
	l.Stop()
	<-done

	listed := m.summary(read)
	require.Empty(t, listed.State.Doing)
	require.Equal(t, "stopped", listed.Status)
	require.Equal(t, read.ID, listed.Summary.ID)
}
