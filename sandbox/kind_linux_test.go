package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/sandbox/internal/probe"
)

// attacker is a kind of worker that tries attacks in native code, and reads the file that it gets.
var attacker = sandbox.Kind{Name: "attacker", Reads: true, Serve: func(h *sandbox.Host) error {
	for {
		m, err := h.Receive()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		answer := attempt{}
		switch m.Op {
		case "try":
			var a attempt
			if err := json.Unmarshal(m.JSON, &a); err != nil {
				return err
			}
			answer.Done, answer.Outcome = probe.Try(a.Name, a.Host)
		case "read":
			b := make([]byte, 5)
			_, err := m.File.ReadAt(b, 3)
			answer.Done, answer.Outcome = err == nil, string(b)
			if _, err := m.File.WriteAt([]byte("pwned"), 0); err == nil {
				answer.Outcome += " and written"
			}
			if _, err := m.File.Stat(); err == nil {
				answer.Outcome += " and looked at"
			}
			if _, err := os.Open("/proc/self/exe"); err == nil {
				answer.Outcome += " and opened another"
			}
		}
		if err := h.Send("answer", answer, nil); err != nil {
			return err
		}
	}
}}

func init() { attacker.Become() }

type attempt struct {
	Name    string
	Host    int
	Done    bool
	Outcome string
}

func admitAnswers(op string, meta, body int) error {
	if op != "answer" || meta > 64<<10 || body > 0 {
		return errors.New("not an answer")
	}
	return nil
}

// ask sends a message and waits for the answer; ok is false if the worker is gone.
func ask(t *testing.T, w *sandbox.Worker, op string, a attempt, f *os.File) (answer attempt, ok bool) {
	t.Helper()
	require.NoError(t, w.Send(op, a, nil, f))
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		m, err := w.Receive(ctx)
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			w.CheckThreads()
			continue
		case err != nil:
			require.ErrorIs(t, err, otherworker.ErrEnded)
			return attempt{}, false
		}
		require.NoError(t, m.Decode(&answer, 100))
		return answer, true
	}
}

// A worker that reads given files has no other privileges beyond those of a worker for cells.
func TestAWorkerOfAnotherKindIsLockedInLikeOneForCells(t *testing.T) {
	t.Parallel()
	pool := sandbox.NewWorkers(1, 0)
	defer func() { require.NoError(t, pool.Close()) }()
	start := func() *sandbox.Worker {
		w, err := pool.Start(t.Context(), attacker, sandbox.Best, admitAnswers)
		require.NoError(t, err)
		return w
	}
	w := start()
	defer func() { w.Close() }()
	if w.Level() == sandbox.Basic {
		t.Skipf("SKIP: only level basic can be had here: %v", w.Missing())
	}
	tried := 0
	for _, p := range probe.All() {
		if p.Possible || p.Name == "process.threads" { // process.threads: the host counts threads only at intervals
			continue
		}
		tried++
		answer, ok := ask(t, w, "try", attempt{Name: p.Name, Host: os.Getpid()}, nil)
		if !ok {
			how, last := w.Close()
			if how == otherworker.ByCrash {
				require.True(t, crashesUnlocked(t, pool, p.Name), "%s: %s", p.Name, last)
				t.Logf("SKIP %s: on this machine it crashes any process: %s", p.Name, last)
			} else {
				// ByRules is possible because the host may have counted too many threads.
				require.Contains(t, []otherworker.ExitReason{otherworker.ByKernel, otherworker.ByRules}, how, p.Name)
			}
			w = start()
			continue
		}
		require.False(t, answer.Done, "%s (%s): %s", p.Name, p.Tried, answer.Outcome)
	}
	require.Greater(t, tried, 100)
}

// crashesUnlocked reports whether a probe crashes a worker without a lock-down, too: then the machine lacks what
// the probe needs.
func crashesUnlocked(t *testing.T, pool *sandbox.Workers, name string) bool {
	t.Helper()
	w, err := pool.Start(t.Context(), attacker, sandbox.Basic, admitAnswers)
	require.NoError(t, err)
	_, ok := ask(t, w, "try", attempt{Name: name, Host: os.Getpid()}, nil)
	how, _ := w.Close()
	return !ok && how == otherworker.ByCrash
}

func TestAWorkerReadsTheFileThatItIsHandedAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("0123456789"), 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	noLeaks(t, func() {
		pool := sandbox.NewWorkers(1, 0)
		w, err := pool.Start(t.Context(), attacker, sandbox.Best, admitAnswers)
		require.NoError(t, err)
		level := w.Level()
		answer, ok := ask(t, w, "read", attempt{}, f)
		require.True(t, ok)
		require.True(t, answer.Done)
		if level != sandbox.Basic {
			require.Equal(t, "34567", answer.Outcome)
		}
		require.True(t, w.Alive())
		how, _ := w.Close()
		require.Equal(t, otherworker.ByHost, how)
		require.NoError(t, pool.Close())
	})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(text))
}

func TestTheMemoryOfAWorkerOfAnotherKindIsLimited(t *testing.T) {
	t.Parallel()
	pool := sandbox.NewWorkers(1, 0)
	defer func() { require.NoError(t, pool.Close()) }()
	w, err := pool.Start(t.Context(), attacker, sandbox.Best, admitAnswers)
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.LimitMemory(1<<30))
	require.Positive(t, w.Memory())
	require.Eventually(t, func() bool { return w.CPU() > 0 }, time.Minute, time.Millisecond)
	_, ok := ask(t, w, "unheard of", attempt{}, nil)
	require.True(t, ok)
}
