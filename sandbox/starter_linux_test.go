package sandbox_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox"
)

// tree runs a cell in a session of a new pool and returns the PID of its worker.
func tree(t *testing.T, s *sandbox.Starter) (pid int) {
	t.Helper()
	w := s.Workers(0, 0)
	defer func() { require.NoError(t, w.Close()) }()
	session, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Call: echo, Builtins: standard()})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	good(t, session, "x := 1")
	pids := sandbox.WorkerPIDs(w)
	require.Len(t, pids, 1)
	return pids[0]
}

// grown returns the processes that did not exist before.
func grown(t *testing.T, before []int) []int {
	t.Helper()
	return slices.DeleteFunc(children(t), func(pid int) bool { return slices.Contains(before, pid) })
}

// spareOf waits for the process of a starting spare.
func spareOf(t *testing.T, before []int) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		all := grown(t, before)
		if len(all) == 1 {
			pid = all[0]
		}
		return len(all) == 1
	}, time.Minute, time.Millisecond)
	return pid
}

// After two trees, a worker is ready for each further tree, and no two trees use the same worker.
func TestTheNextTreeFindsItsWorkerReady(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		used := map[int]bool{tree(t, s): true}
		require.Empty(t, grown(t, before), "one tree alone keeps nothing ready")
		used[tree(t, s)] = true
		for range 3 {
			ready := spareOf(t, before)
			pid := tree(t, s)
			require.Equal(t, ready, pid)
			require.False(t, used[pid], "a worker that ran a cell is never used again")
			used[pid] = true
		}
		s.Close()
	})
}

// A spare that nobody uses ends, and releases all its resources.
func TestASpareDoesNotStay(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		sandbox.SetIdle(s, 50*time.Millisecond)
		tree(t, s)
		tree(t, s)
		require.Eventually(t, func() bool { return len(grown(t, before)) == 0 }, time.Minute, time.Millisecond)
		tree(t, s) // a later tree has a new worker
		s.Close()
	})
}

// A spare that died while it waited does no harm.
func TestASpareThatDied(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		tree(t, s)
		tree(t, s)
		ready := spareOf(t, before)
		require.NoError(t, syscall.Kill(ready, syscall.SIGKILL))
		require.NotEqual(t, ready, tree(t, s))
		s.Close()
	})
}

// A spare of another level does no harm either.
func TestASpareOfAnotherLevel(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		tree(t, s)
		tree(t, s)
		spareOf(t, before)
		w := s.Workers(0, 0)
		session, err := sandbox.New(
			t.Context(), sandbox.Config{Workers: w, Call: echo, Builtins: standard(), Level: sandbox.Standard})
		require.NoError(t, err)
		require.Equal(t, sandbox.Standard, session.Level())
		require.NoError(t, session.Close())
		require.NoError(t, w.Close())
		s.Close()
	})
}

// A closed starter still serves open pools, but keeps no spare ready.
func TestAClosedStarterKeepsNothingReady(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		tree(t, s)
		s.Close()
		tree(t, s)
		tree(t, s)
		require.Empty(t, grown(t, before))
	})
}

// Concurrent trees that share a starter have separate workers, and leave nothing behind.
func TestTreesAtOnce(t *testing.T) {
	noLeaks(t, func() {
		s := sandbox.NewStarter()
		pids := make(chan int)
		for range 8 {
			go func() { pids <- tree(t, s) }()
		}
		used := map[int]bool{}
		for range 8 {
			pid := <-pids
			require.False(t, used[pid])
			used[pid] = true
		}
		s.Close()
	})
}
