package live

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// silent is a model that is never asked.
type silent struct{}

func (silent) Name() string { return "silent" }

func (silent) Generate(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	panic("it is asked")
}

// TestSessionsThatNobodyUsesAreForgotten: what was looked at once is not kept for ever; what is open is.
func TestSessionsThatNobodyUsesAreForgotten(t *testing.T) {
	r, err := runner.New(silent{}, runner.WithDataDir(t.TempDir()))
	require.NoError(t, err)
	s := New(Config{Runner: r, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 10})
	defer func() { require.NoError(t, s.Close()) }()
	open, err := s.Create(t.Context())
	require.NoError(t, err)
	id := open.ID()
	for range 3 {
		made, err := s.Create(t.Context())
		require.NoError(t, err)
		require.NoError(t, made.close())
	}
	open = nil
	for len(s.list()) > 1 {
		s.look()
		runtime.GC()
	}
	l, err := s.Get(id)
	require.NoError(t, err)
	require.True(t, l.Open(), "it was not closed behind the back of those who have it open")
	require.Len(t, s.all, 1)
	again, err := s.Get(id)
	require.NoError(t, err)
	require.Same(t, l, again)
	require.NoError(t, s.Remove(l))
	require.Empty(t, s.all)
	require.Empty(t, s.held)
}

// TestAWatcherHearsOfEachChange: also of those that came while it did something else, each session once; one that is gone costs nothing.
func TestAWatcherHearsOfEachChange(t *testing.T) {
	var s Sessions
	s.changes.watches = map[*watch]struct{}{}
	ctx, gone := context.WithCancel(t.Context())
	changes := s.Changes(ctx)
	for _, id := range []string{"b", "a", "b"} {
		s.changes.note(id)
	}
	var heard [][]string
	for ids := range changes {
		if heard = append(heard, ids); len(heard) == 2 {
			break
		}
		s.changes.note("c")
	}
	require.Equal(t, [][]string{{"a", "b"}, {"c"}}, heard)
	gone()
	for {
		s.changes.mu.Lock()
		left := len(s.changes.watches)
		s.changes.mu.Unlock()
		if left == 0 {
			return
		}
		runtime.Gosched()
	}
}
