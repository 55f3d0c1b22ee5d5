package sandbox_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox"
)

// tree runs a cell in a session of a pool of its own and says which process it had.
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

// grown are the processes that there were not before.
func grown(t *testing.T, before []int) []int {
	t.Helper()
	return slices.DeleteFunc(children(t), func(pid int) bool { return slices.Contains(before, pid) })
}

// spareOf waits for the process of a spare that is being started.
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

// From the second tree on the next one finds its worker ready, and no two trees have the same.
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

// A spare that nobody takes ends, with all that it needed.
func TestASpareDoesNotStay(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		sandbox.SetIdle(s, 50*time.Millisecond)
		tree(t, s)
		tree(t, s)
		require.Eventually(t, func() bool { return len(grown(t, before)) == 0 }, time.Minute, time.Millisecond)
		tree(t, s) // the next one has a new worker
		s.Close()
	})
}

// A spare that died while it waited is in nobody's way.
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

// Neither is one of another level.
func TestASpareOfAnotherLevel(t *testing.T) {
	noLeaks(t, func() {
		before := children(t)
		s := sandbox.NewStarter()
		tree(t, s)
		tree(t, s)
		spareOf(t, before)
		w := s.Workers(0, 0)
		session, err := sandbox.New(t.Context(), sandbox.Config{Workers: w, Call: echo, Builtins: standard(), Level: sandbox.Standard})
		require.NoError(t, err)
		require.Equal(t, sandbox.Standard, session.Level())
		require.NoError(t, session.Close())
		require.NoError(t, w.Close())
		s.Close()
	})
}

// A starter that is closed still serves the pools that are open, and keeps nothing ready any more.
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

// Trees that share a starter at the same time have each a worker of their own, and nothing is left of them.
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
