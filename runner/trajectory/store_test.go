package trajectory_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// memory is a store that keeps events until it refuses them.
type memory struct {
	mu      sync.Mutex
	events  []trajectory.Event
	refuses error
}

func (m *memory) Commit(events []trajectory.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuses != nil {
		return m.refuses
	}
	m.events = append(m.events, events...)
	return nil
}

func all(events []trajectory.Event) func(func(trajectory.Event, error) bool) {
	return func(yield func(trajectory.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A store has the whole log: when it is restored elsewhere, it has the same events and can be continued.
func TestALogIsRestoredFromItsStore(t *testing.T) {
	store := &memory{}
	dir := filepath.Join(t.TempDir(), "run")
	log, err := trajectory.Create(dir, store)
	require.NoError(t, err)
	long := make([]byte, 100_000)
	for i := range 5 {
		_, err := log.Post("", i, trajectory.Warned{About: "test", Text: "posted"})
		require.NoError(t, err)
		_, err = log.Append("", i, trajectory.ReplyDelta{Content: "not kept"})
		require.NoError(t, err)
		e, err := log.Append("1.1", i, trajectory.ReplyReceived{Content: trajectory.T(string(long) + "\xff")})
		require.NoError(t, err)
		require.Len(t, store.events, int(e.Seq), "what is appended is kept")
	}
	_, err = log.Post("", 5, trajectory.Warned{About: "test", Text: "announced"})
	require.NoError(t, err)
	require.NoError(t, log.Announced())
	require.Len(t, store.events, 11)
	require.NoError(t, log.Close())

	elsewhere := filepath.Join(t.TempDir(), "run")
	last, err := trajectory.Restore(elsewhere, all(store.events))
	require.NoError(t, err)
	require.EqualValues(t, 11, last)
	require.Equal(t, readAll(t, dir), readAll(t, elsewhere))

	log, err = trajectory.Open(elsewhere, store)
	require.NoError(t, err)
	e, err := log.Append("", 6, trajectory.Warned{About: "test", Text: "goes on"})
	require.NoError(t, err)
	require.EqualValues(t, 12, e.Seq)
	require.NoError(t, log.Close())
	_, err = trajectory.Restore(elsewhere, all(store.events))
	require.ErrorContains(t, err, "already contains a run")
	_, err = trajectory.Restore(filepath.Join(t.TempDir(), "gap"), all(store.events[1:]))
	require.ErrorContains(t, err, "event 2 follows event 0")
}

// An event that a store refuses has no effect: it is not in the log, and nothing follows it.
func TestAStoreThatRefusesEndsTheLog(t *testing.T) {
	taken := errors.New("another one has it")
	store := &memory{}
	dir := filepath.Join(t.TempDir(), "run")
	log, err := trajectory.Create(dir, store)
	require.NoError(t, err)
	_, err = log.Append("", 0, trajectory.Warned{About: "test", Text: "kept"})
	require.NoError(t, err)
	store.refuses = taken
	_, err = log.Append("", 0, trajectory.Warned{About: "test", Text: "refused"})
	require.ErrorIs(t, err, taken)
	require.ErrorIs(t, log.Announced(), taken)
	_, err = log.Post("", 0, trajectory.Warned{About: "test", Text: "refused too"})
	require.ErrorIs(t, err, taken)
	require.NoError(t, log.Close())
	require.Len(t, readAll(t, dir), 1)
}

// slow is a store that answers when it is told to.
type slow struct{ asked, answer chan struct{} }

func (s slow) Commit([]trajectory.Event) error {
	s.asked <- struct{}{}
	<-s.answer
	return nil
}

// Whoever gives up ends the wait for a store that does not answer, and only that.
func TestGivingUpOnAStore(t *testing.T) {
	store := slow{make(chan struct{}, 1), make(chan struct{})}
	log, err := trajectory.Create(filepath.Join(t.TempDir(), "run"), store)
	require.NoError(t, err)
	lost := errors.New("another machine has the run")
	log.GiveUp(lost)
	appended := make(chan error)
	add := func() {
		_, err := log.Append("", 0, trajectory.Warned{})
		appended <- err
	}
	go add()
	<-store.asked
	store.answer <- struct{}{}
	require.NoError(t, <-appended)
	log.GiveUp(lost)
	go add()
	<-store.asked
	log.GiveUp(lost)
	require.ErrorIs(t, <-appended, lost)
	close(store.answer)
	require.NoError(t, log.Close())

	refusing, err := trajectory.Create(filepath.Join(t.TempDir(), "run"), &memory{refuses: errors.New("no")})
	require.NoError(t, err)
	_, err = refusing.Append("", 0, trajectory.Warned{})
	require.ErrorContains(t, err, ": no: nothing more is recorded")
	require.NoError(t, refusing.Close())
}
