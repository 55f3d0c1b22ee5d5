package runner_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// Several goroutines may ask, resume and inspect a session concurrently: it does one thing at a time, and returns
// ErrBusy for the others. If several range over one run, only one gets it. The test is for the race detector.
func TestSeveralGoroutines(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence(`FINAL("x")`), fence(`FINAL("y")`), fence(`FINAL("z")`)}, nil))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	together(func() {
		res, err := s.Answer(timeout(t), "q")
		if errors.Is(err, runner.ErrBusy) {
			return
		}
		require.NoError(t, err)
		require.NotEmpty(t, res.Answer)
	}, func() {
		_ = s.Pending()
		for _, err := range s.Resume(timeout(t)) {
			require.Error(t, err)
		}
	}, func() { _, _, _ = s.Totals(), s.Level(), s.ID() }, func() { _ = s.Rename("name") })
	require.NoError(t, s.Close())

	run := r.Run(timeout(t), "q")
	var begun, refused atomic.Int32
	read := func() {
		for ev, err := range run {
			if err != nil {
				refused.Add(1)
			} else if ev.Seq == 1 {
				begun.Add(1)
			}
		}
	}
	together(read, read, read)
	require.EqualValues(t, 1, begun.Load())
	require.EqualValues(t, 2, refused.Load())
}

// together runs functions at the same time.
func together(do ...func()) {
	var all sync.WaitGroup
	for _, f := range do {
		all.Go(f)
	}
	all.Wait()
}
