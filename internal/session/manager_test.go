package session

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// starter serves all runners: a spare worker that one leaves behind is used by the next.
var starter = sandbox.NewStarter()

// newRunner returns a runner over a folder.
func newRunner(t *testing.T, model llm.Model, dir string) *runner.Runner {
	t.Helper()
	r, err := runner.New(model, runner.WithDataDir(dir), host.Starter(starter))
	require.NoError(t, err)
	return r
}

// silent is a model that is never asked.
type silent struct{}

func (silent) Name() string { return "silent" }

func (silent) Generate(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	panic("it is asked")
}

// TestSessionsThatNobodyUsesAreForgotten: a session that was viewed once is not kept forever; an open one is.
func TestSessionsThatNobodyUsesAreForgotten(t *testing.T) {
	r := newRunner(t, silent{}, t.TempDir())
	s := NewPrivate(Config{Runner: r, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 10})
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

// TestASessionAtRestClosesTheOldest: if too many sessions are idle, the oldest is closed without waiting for the
// next periodic check.
func TestASessionAtRestClosesTheOldest(t *testing.T) {
	r := newRunner(t, silent{}, t.TempDir())
	s := newManager(Config{Runner: r, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 2}, nil)
	defer func() { require.NoError(t, s.Close()) }()
	var made []*Session
	create := func() {
		l, err := s.Create(t.Context())
		require.NoError(t, err)
		made = append(made, l)
	}
	open := func() (list []bool) {
		for _, l := range made {
			list = append(list, l.Open())
		}
		return list
	}
	closes := func(want ...bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			return slices.Equal(want, open())
		}, 2*time.Minute, time.Millisecond, "%v", want)
	}
	create()
	create()
	create()
	closes(false, true, true)
	require.NoError(t, made[0].With(
		t.Context(), Actor{}, "cell", func(context.Context, *runner.Session) error { return nil }))
	closes(true, false, true)
}

// TestAShortRequestCanBeStopped: a search over a large text is not a task, but a person and the end of the process
// can stop it, too.
func TestAShortRequestCanBeStopped(t *testing.T) {
	for code, stop := range map[Code]func(*Manager, *Session){
		Cancelled: func(_ *Manager, l *Session) { l.Stop() },
		Closing:   func(s *Manager, _ *Session) { s.Stop() },
	} {
		s := NewPrivate(Config{Runner: newRunner(t, silent{}, t.TempDir()), MaxRuns: 1})
		l, err := s.Create(t.Context())
		require.NoError(t, err)
		begun, ended := make(chan struct{}), make(chan error)
		go func() {
			ended <- l.Ask(context.Background(), func(ctx context.Context, _ *runner.Session) error {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		<-begun
		stop(s, l)
		require.Equal(t, code, ErrorOf(<-ended).Code)
		require.NoError(t, s.Close())
	}
}

// TestAWatcherHearsOfEachChange: a watcher also gets changes that happened while it was busy, each session once; a
// watcher that left costs nothing.
func TestAWatcherHearsOfEachChange(t *testing.T) {
	var s Manager
	s.changes.watches = map[*watch]struct{}{}
	ctx, gone := context.WithCancel(t.Context())
	changes := s.changed(ctx)
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

// TestAClosedManagerOpensNothing: a late request, such as over a connection that ends later, does not open a
// session that nobody would close.
func TestAClosedManagerOpensNothing(t *testing.T) {
	r := newRunner(t, silent{}, t.TempDir())
	m := NewPrivate(Config{Runner: r, MaxRuns: 1, IdleAfter: time.Hour, MaxIdle: 10})
	l, err := m.Create(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.Close())
	err = l.Look(t.Context(), func(*runner.Session) error { return nil })
	require.ErrorIs(t, err, ErrClosing)
	again, err := r.OpenSession(t.Context(), l.ID())
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
