package runner_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// If no worker can start, a runner's first run fails before it asks the model. A runner that has started a worker
// before asks first: the reply is recorded, and the resumed run continues from it. Its next run fails before it
// asks. The test is not parallel, because no other test could start a process meanwhile.
func TestAWorkerThatCannotStart(t *testing.T) {
	calls := 0
	model := llm.ScriptedFunc("scripted", func(context.Context, llm.Request, int) (llm.Response, error) {
		calls++
		return llm.Response{Content: fence("FINAL(7)")}, nil
	})
	withoutStarts(t, func() {
		_, err := newRunner(t, model, alone).Answer(timeout(t), "question")
		require.ErrorContains(t, err, "start a worker")
		require.Zero(t, calls)
	})
	r := known(t, model)
	var id string
	withoutStarts(t, func() {
		res, err := r.Answer(timeout(t), "question")
		require.ErrorContains(t, err, "start a worker")
		require.Equal(t, termination.Failed, res.Status)
		require.Equal(t, 1, calls)
		id = res.RunID

		_, err = r.Answer(timeout(t), "question")
		require.ErrorContains(t, err, "start a worker")
		require.Equal(t, 1, calls)
	})
	res, err := runner.Collect(r.Resume(timeout(t), id))
	require.NoError(t, err)
	require.Equal(t, "7", res.Answer)
	require.Equal(t, 1, calls, "the reply was recorded")
}

// typist is a model that streams a reply with a cell, and does not end it before a worker has started.
type typist struct {
	t       *testing.T
	before  int // child processes
	started bool
}

func (m *typist) Name() string { return "typist" }

func (m *typist) Generate(ctx context.Context, _ llm.Request, on func(llm.Delta)) (llm.Response, error) {
	text := "Prose."
	if m.before >= 0 {
		text = fence("FINAL(7)")
	}
	on(llm.Delta{Content: text})
	for m.before >= 0 && !m.started && ctx.Err() == nil {
		m.started = processes(m.t) > m.before
	}
	return llm.Response{Content: text}, ctx.Err()
}

// A reply without a cell starts no worker, and one with a cell starts it while the rest of the reply arrives. The
// test counts processes, so it is not parallel.
func TestAWorkerStartsWhenACellArrives(t *testing.T) {
	model := &typist{t: t, before: -1}
	r := known(t, model)
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	before := processes(t)
	_, err = s.Answer(timeout(t), "first")
	require.NoError(t, err)
	require.Equal(t, before, processes(t))
	model.before = before
	res, err := s.Answer(timeout(t), "second")
	require.NoError(t, err)
	require.Equal(t, "7", res.Answer)
	require.True(t, model.started)
}

// withoutStarts calls do while this process cannot start others, because their stacks would be too small.
func withoutStarts(t *testing.T, do func()) {
	t.Helper()
	var old unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_STACK, &old))
	none := old
	none.Cur = 1
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_STACK, &none))
	defer func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_STACK, &old)) }()
	do()
}
