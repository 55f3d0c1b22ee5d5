package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/sandbox"
)

func slow(d time.Duration) func(context.Context, sandbox.Call) sandbox.Reply {
	return func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return sandbox.Reply{Body: []byte("ok")}
	}
}

func TestTheClockStandsWhileACellWaitsForSubCalls(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Limits: sandbox.Limits{CellTime: time.Second}, Call: slow(1400 * time.Millisecond)})
	require.Equal(t, "ok\n", good(t, s, `fmt.Println(llm_query("one"))`).Output)
	good(t, s, `rlm_query_batched([]string{"a", "b", "c"})`)
}

func TestTheClockRunsWhileAGoroutineComputesBesideASubCall(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Limits: sandbox.Limits{CellTime: 400 * time.Millisecond}, Call: slow(5 * time.Minute)})
	res := run(t, s, `go func() { for {} }()`+"\n"+`llm_query("slow")`)
	require.Equal(t, cellerror.Timeout, res.Error.Kind)
}

func TestCPUTimeIsCappedApart(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Limits: sandbox.Limits{CellCPU: 300 * time.Millisecond}})
	res := run(t, s, "for {}")
	require.Equal(t, cellerror.Timeout, res.Error.Kind)
	require.Contains(t, res.Error.Message, "CPU time")
}

// 600 MB of live data plus garbage fit under 1 GiB: without a soft limit, the collector would let the heap grow to
// twice that.
func TestMemoryUnderTheLimitIsNeverKilled(t *testing.T) {
	t.Parallel()
	long(t)
	s := start(t, sandbox.Config{})
	res := good(t, s, `keep := make([][]byte, 600)
for i := range keep { keep[i] = make([]byte, 1<<20); for j := 0; j < 1<<20; j += 4096 { keep[i][j] = 1 } }
sum := 0
for i := 0; i < 3000; i++ { b := make([]byte, 1<<20); for j := 0; j < 1<<20; j += 4096 { b[j] = byte(i) }; sum += len(b) }
fmt.Println(len(keep), sum>>20)`)
	require.Equal(t, "600 3000\n", res.Output)
}

func TestOneMemoryLimitForTheWholeTree(t *testing.T) {
	t.Parallel()
	if raceBuild {
		t.Skip("SKIPPED: a worker with the race detector in it uses other amounts of memory")
	}
	w := sandbox.NewWorkers(4, 200<<20)
	defer func() { require.NoError(t, w.Close()) }()
	small := start(t, sandbox.Config{Workers: w})
	large := start(t, sandbox.Config{Workers: w})
	fill := "keep := strings.Repeat(\"x\", %d<<20)\n"
	good(t, small, fmt.Sprintf(fill, 60))
	res := run(t, large, fmt.Sprintf(fill, 300)+"time.Sleep(20 * time.Second)")
	require.Equal(t, cellerror.MemoryLimit, res.Error.Kind)
	require.Contains(t, res.Error.Message, "together")
	require.Equal(t, "62914560\n", good(t, small, "fmt.Println(len(keep))").Output)
	require.NoError(t, small.Close())
	require.NoError(t, large.Close())
}

func TestASessionWaitsForAWorker(t *testing.T) {
	t.Parallel()
	w := sandbox.NewWorkers(1, 0)
	defer func() { require.NoError(t, w.Close()) }()
	one := start(t, sandbox.Config{Workers: w})
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	_, err := sandbox.New(ctx, sandbox.Config{Workers: w})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = one.Close()
	}()
	two := start(t, sandbox.Config{Workers: w})
	good(t, two, "x := 1")
	require.NoError(t, two.Close())
}

// A tree in which every worker waits for a child that waits for a worker must not deadlock.
func TestATreeCannotLockItselfUp(t *testing.T) {
	t.Parallel()
	w := sandbox.NewWorkers(3, 0)
	defer func() { require.NoError(t, w.Close()) }()
	var child func(ctx context.Context, c sandbox.Call) sandbox.Reply
	child = func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		s, err := sandbox.New(ctx, sandbox.Config{Workers: w, Call: child, Builtins: standard()})
		if err != nil {
			return sandbox.Reply{Error: err.Error()}
		}
		defer func() { _ = s.Close() }()
		res, err := s.Run(ctx, sandbox.Cell{Source: `fmt.Print(rlm_query("deeper"))`})
		if err != nil {
			return sandbox.Reply{Error: err.Error()}
		}
		if res.Error != nil {
			return sandbox.Reply{Error: res.Error.Message}
		}
		return sandbox.Reply{Body: []byte(res.Output)}
	}
	s := start(t, sandbox.Config{Workers: w, Call: child})
	began := time.Now()
	res := run(t, s, `rlm_query("go")`)
	require.NotNil(t, res.Error)
	require.Contains(t, res.Error.Message, "all 3 workers are in use")
	require.Less(t, time.Since(began), 5*time.Minute)
	require.NoError(t, s.Close())
}

// Many sibling children queue for workers, and all get one.
func TestChildrenTakeTurns(t *testing.T) {
	t.Parallel()
	w := sandbox.NewWorkers(3, 0)
	defer func() { require.NoError(t, w.Close()) }()
	s := start(t, sandbox.Config{Workers: w, Call: func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		child, err := sandbox.New(ctx, sandbox.Config{Workers: w, Builtins: standard()})
		if err != nil {
			return sandbox.Reply{Error: err.Error()}
		}
		defer func() { _ = child.Close() }()
		res, err := child.Run(ctx, sandbox.Cell{Source: fmt.Sprintf("fmt.Print(%q)", strings.ToUpper(string(c.Body)))})
		if err != nil {
			return sandbox.Reply{Error: err.Error()}
		}
		return sandbox.Reply{Body: []byte(res.Output)}
	}})
	res := good(t, s, `fmt.Println(rlm_query_batched([]string{"a", "b", "c", "d", "e", "f", "g", "h"}))`)
	require.Equal(t, "[A B C D E F G H]\n", res.Output)
	require.NoError(t, s.Close())
}

func TestAPoolThatIsClosed(t *testing.T) {
	t.Parallel()
	w := sandbox.NewWorkers(0, 0)
	s := start(t, sandbox.Config{Workers: w})
	require.Error(t, w.Close(), "a session is still open")
	require.NoError(t, w.Close())
	_, err := s.Run(t.Context(), sandbox.Cell{Source: "1"})
	require.ErrorContains(t, err, "closed")
	_, err = sandbox.New(t.Context(), sandbox.Config{Workers: w})
	require.ErrorContains(t, err, "closed")
}

// A probe that is cancelled at any moment returns the cancellation as its error.
func TestProbeCancelled(t *testing.T) {
	t.Parallel()
	for after := range 8 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(after)*30*time.Millisecond)
		_, err := sandbox.Probe(ctx, sandbox.Best)
		cancel()
		if err != nil { // on a fast machine the probe may be done
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}
