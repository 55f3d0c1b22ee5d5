package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
	"github.com/gorlm/rlm/termination"
)

// The test binary is also the worker, so this must run before any test.
func init() { hostile.TakeOver(os.Getenv(hostile.Env)) }

// This runs before the init function that makes an honest worker of the process.
var _ = func() bool { hostile.TakeOver(ofAllWorkers()); return true }()

// everyWorker is the prefix of a host's argument that names the act of all its workers. They read the argument,
// because they cannot read the host's environment.
const everyWorker = "every-worker="

// ofAllWorkers returns the act that the host requests of all workers, if this process is one.
func ofAllWorkers() string {
	if os.Getenv(worker.Env) == "" {
		return ""
	}
	of, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid())) // empty without /proc
	_, after, _ := strings.Cut(string(of), "\x00"+everyWorker)
	name, _, _ := strings.Cut(after, "\x00")
	return name
}

// takenOver returns a session whose first worker is hostile.
func takenOver(t *testing.T, name string) *Session {
	t.Helper()
	return beginWith(t, &Session{
		cfg: Config{Level: Basic, Call: func(ctx context.Context, c Call) Reply {
			if c.Impl == "wait" {
				<-ctx.Done()
			}
			return Reply{}
		}},
		limits: Limits{
			CellTime: 2 * time.Second, Prompt: 100 << 10, Text: 100 << 10, Answer: 100 << 10,
			InFlight: 64,
		}.WithDefaults(),
	}, open, name)
}

// beginWith makes a session start with a hostile worker.
func beginWith(t *testing.T, s *Session, how startMode, name string) *Session {
	t.Helper()
	return beginAs(t, s, func(st *Starter) *process { return launchHostile(t, st, how, name) })
}

// beginAs makes a session start with the worker that start returns.
func beginAs(t *testing.T, s *Session, start func(*Starter) *process) *Session {
	t.Helper()
	s.cfg.Builtins, s.patience = builtins.Standard(termination.Response), patience.Default()
	s.workers, s.owned, s.next = NewWorkers(2, 0), true, 1
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	p := start(s.workers.starter)
	p.gate.configure(s.limits, s.workers.roomAt(0))
	meta := wire.InitMeta{Bounds: s.limits.bounds(), Engine: s.engine}
	require.NoError(t, p.initialise(t.Context(), meta, s.limits, Context{}))
	s.workers.live[p] = new(workerUsage)
	s.worker = p
	return s
}

func launchHostile(t *testing.T, s *Starter, how startMode, name string) *process {
	t.Helper()
	p, err := tryHostile(t, s, how, name)
	require.NoError(t, err)
	return p
}

// tryHostile starts a hostile worker. If it acts early, it may be caught before it is ready.
func tryHostile(t *testing.T, s *Starter, how startMode, name string) (*process, error) {
	t.Helper()
	p, err := launch(t.Context(), worker.Cells, nil, how, func(cmd *exec.Cmd) error {
		cmd.Env = []string{hostile.Env + "=" + name}
		return s.run(cmd)
	}, true)
	require.False(t, err == nil && how != open && p.level == Basic, "the worker is not locked in")
	return p, err
}

func TestHostSurvivesAWorkerThatWasTakenOver(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Log("the race detector slows the test binary's own start")
	}
	kinds := map[string]cellerror.Kind{
		"floods stderr":                cellerror.GoroutinePanic,
		"does nothing":                 cellerror.Timeout,
		"exits":                        cellerror.WorkerExit,
		"leaves its stderr to another": cellerror.WorkerExit,
	}
	for name := range hostile.Rules {
		switch name {
		case "huge result", "two answers", "talks between cells":
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := takenOver(t, name)
			began := time.Now()
			res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
			require.NoError(t, err)
			require.NotNil(t, res.Error)
			want := cellerror.ProtocolViolation
			if k, ok := kinds[name]; ok {
				want = k
			}
			require.Equal(t, want, res.Error.Kind, res.Error.Message)
			require.NotNil(t, res.Restore)
			require.Less(t, time.Since(began), 5*time.Minute)
			res, err = s.Run(t.Context(), Cell{Source: "y := 2"})
			require.NoError(t, err)
			require.Nil(t, res.Error)
		})
	}
}

func TestWhatAHostileWorkerReportsIsCutToSize(t *testing.T) {
	t.Parallel()
	s := takenOver(t, "huge result")
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Equal(t, cellerror.Panic, res.Error.Kind)
	require.Zero(t, res.Error.Line)
	require.Less(t, len(res.Error.Message), 17<<10)
	require.Less(t, len(res.Value), 65<<10)
	require.Len(t, res.Notes, 64)
	require.Nil(t, res.Final, "an answer has its own frame")
}

// A package of the program may read its configuration in init, and exit.
func TestAWorkerThatEndsInInitIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	w := NewWorkers(1, 0)
	defer func() { require.NoError(t, w.Close()) }()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	_, err := launch(ctx, worker.Cells, nil, open, func(cmd *exec.Cmd) error {
		cmd.Env = []string{hostile.Env + "=exits in init"}
		return w.starter.run(cmd)
	}, true)
	require.ErrorContains(t, err, "config: there is no database")
	require.ErrorContains(t, err, "init functions")
}

func TestTheFirstAnswerWins(t *testing.T) {
	t.Parallel()
	s := takenOver(t, "two answers")
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "first", res.Final.Answer)
}

func TestAWorkerThatTalksBetweenCellsIsReplaced(t *testing.T) {
	t.Parallel()
	s := takenOver(t, "talks between cells")
	_, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !s.worker.alive() }, time.Minute, time.Millisecond)
	res, err := s.Run(t.Context(), Cell{Source: "2 + 3"})
	require.NoError(t, err)
	require.NotEqual(t, "forged", res.Value)
	require.NotNil(t, res.Restore)
	require.Contains(t, res.Restore.Why, "broke the rules")
}

// Only the cell with the wrong answer fails, not the next one.
func TestAWrongAnswerCountsBeforeTheResult(t *testing.T) {
	t.Parallel()
	s := takenOver(t, "wrong answer with its result")
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.NotNil(t, res.Error)
	require.Equal(t, cellerror.ProtocolViolation, res.Error.Kind, res.Error.Message)
	require.Empty(t, res.Value)
	res, err = s.Run(t.Context(), Cell{Source: "2 + 3"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "5", res.Value)
}

// questions are what a worker answers between cells.
var questions = map[string]func(ctx context.Context, s *Session) error{
	"vars":     func(ctx context.Context, s *Session) error { _, err := s.Vars(ctx); return err },
	"members":  func(ctx context.Context, s *Session) error { _, err := s.Members(ctx, "strings"); return err },
	"complete": func(ctx context.Context, s *Session) error { _, err := s.Complete(ctx, "strings."); return err },
	"signature": func(ctx context.Context, s *Session) error {
		_, err := s.Signature(ctx, "strings.Repeat(")
		return err
	},
	"check": func(ctx context.Context, s *Session) error { _, err := s.Check(ctx, "x := 1"); return err },
	"find": func(ctx context.Context, s *Session) error {
		f, err := s.Find(ctx, builtins.Search{Query: "x", How: "literal"})
		for _, at := range f.Found {
			if at.Offset != 0 || at.Length != 0 || f.More {
				return fmt.Errorf("found in no context: %d, %d", at.Offset, at.Length)
			}
		}
		return err
	},
}

// If a worker gives odd answers between cells, only that worker is lost.
func TestHostSurvivesOddAnswersBetweenCells(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "linux" && !raceEnabled {
		t.Skip("TestTheHostStaysSmallUnderOddAnswers does the same, and measures the host")
	}
	for name := range hostile.Odd {
		for question := range questions {
			t.Run(name+" to "+question, func(t *testing.T) {
				t.Parallel()
				answersOddly(t, name, question)
			})
		}
	}
}

func answersOddly(t *testing.T, name, question string) {
	s := takenOver(t, name)
	if err := questions[question](t.Context(), s); err != nil { // the question may succeed with another worker
		require.NotContains(t, err.Error(), "found in no context")
		t.Log(err)
	}
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	if res.Error != nil {
		res, err = s.Run(t.Context(), Cell{Source: "x := 1"})
		require.NoError(t, err)
	}
	require.Nil(t, res.Error)
	require.NoError(t, questions[question](t.Context(), s))
}
