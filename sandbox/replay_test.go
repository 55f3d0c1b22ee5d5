package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// stateful is a session of cells whose state is easily lost: closures, counters, types, replies, random numbers,
// the clock, cells that panicked or answered.
var stateful = []string{
	"count := 0\ntick := func() int { count++; return count }",
	"type shape interface{ Area() float64 }\ntype square struct{ Side float64 }\nfunc (s square) Area() float64 { return s.Side * s.Side }\nvar s shape = square{3}",
	"tick(); tick()",
	`a := llm_query("one")`,
	`same := []string{llm_query("same"), llm_query("same"), llm_query("same")}`,
	"r := rand.Intn(1 << 40)",
	"now := time.Now().UnixNano()",
	"half := 1\nvar none map[string]int\nnone[\"x\"] = 1",
	"half = 2\nFINAL(half)",
	"results := make([]string, 20)\nvar wg sync.WaitGroup\nfor i := range results { wg.Add(1); go func() { defer wg.Done(); results[i] = llm_query(fmt.Sprint(\"p\", i)) }() }\nwg.Wait()",
	"func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }",
	"nope nope",
	"m := map[string][]int{\"a\": {1, 2}}\nm[\"b\"] = append(m[\"a\"], 3)",
	`_ = rlm_query_batched([]string{"x", "x", "x"})`,
}

const look = `fmt.Println(count, tick(), s.Area(), a, same, r, now, half, results, fib(10), m)
count--`

func TestAReplayedSessionIsEqual(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := start(t, sandbox.Config{Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
		return sandbox.Reply{Body: fmt.Appendf(nil, "reply %d", calls.Add(1))}
	}})
	for _, source := range stateful {
		run(t, s, source)
	}
	want := good(t, s, look).Output
	vars, err := s.Vars(t.Context())
	require.NoError(t, err)
	asked := calls.Load()
	for range 3 {
		kill(t, s)
		require.Equal(t, want, good(t, s, look).Output)
		again, err := s.Vars(t.Context())
		require.NoError(t, err)
		require.Equal(t, vars, again)
	}
	require.Equal(t, asked, calls.Load(), "a replay asks nobody")
}

// record returns what a runner keeps of a cell to restore the session in another process.
func record(source string, res sandbox.Result) sandbox.CellRecord {
	return sandbox.CellRecord{
		Cell: res.Cell, Source: source, Seed: res.Seed, Clock: res.Clock, Fired: res.Fired, Calls: res.Calls,
		Changed: res.Changed,
		Took:    res.Duration,
	}
}

func TestRestoreInAnotherHost(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	var records []sandbox.CellRecord
	for _, source := range stateful {
		records = append(records, record(source, run(t, s, source)))
	}
	want := good(t, s, look)
	other := start(t, sandbox.Config{Call: func(context.Context, sandbox.Call) sandbox.Reply {
		assert.Fail(t, "a replay asks nobody")
		return sandbox.Reply{}
	}})
	r, err := other.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Empty(t, r.Losses(), r.Why)
	require.Equal(t, len(stateful), r.Cells)
	got := good(t, other, look)
	require.Equal(t, want.Output, got.Output)
	require.Equal(t, want.Cell, got.Cell, "numbers go on")
	_, err = other.Restore(t.Context(), records)
	require.Error(t, err)
}

func TestAReplayThatAsksSomethingElse(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	good(t, s, "x := 1")
	var records []sandbox.CellRecord
	for i, source := range []string{"x := 1", `y := llm_query("old")`, "z := 3"} {
		records = append(records, sandbox.CellRecord{Cell: i + 1, Source: source})
	}
	other := start(t, sandbox.Config{})
	good(t, s, "y := 0\nz := 0")
	records[0].Changed = good(t, s, "x = 1").Changed
	records[1].Changed = good(t, s, "y = 2").Changed
	records[2].Changed = good(t, s, "z = 3").Changed
	for i := range records {
		for j := range records[i].Changed {
			records[i].Changed[j].Digest = ""
		}
	}
	r, err := other.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Equal(t, []string{"y"}, r.Lost)
	require.Contains(t, r.Why, "asked something else")
	require.Equal(t, 3, r.Cells)
	require.Equal(t, "1 3\n", good(t, other, "fmt.Println(x, z)").Output, "what could be restored is there")
	require.NotNil(t, run(t, other, "fmt.Println(y)").Error)
}

func TestAValueThatComesOutDifferentlyIsNamed(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	good(t, s, "steady := 1")
	res := good(t, s, "fickle := 2")
	records := []sandbox.CellRecord{record("steady := 1", sandbox.Result{}), record("fickle := 3", res)}
	records[0].Cell = 1
	other := start(t, sandbox.Config{})
	r, err := other.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Equal(t, []string{"fickle"}, r.Differing)
	require.Empty(t, r.Lost)
	require.Contains(t, r.Why, "another value")
}

func TestReplaysAreCounted(t *testing.T) {
	t.Parallel()
	const deadly = "func() { var mu sync.RWMutex; mu.Unlock() }()" // makes the Go runtime end the process
	s := start(t, sandbox.Config{Limits: sandbox.Limits{Replays: 2}})
	good(t, s, "kept := 1\nother := 2")
	for range 2 {
		require.Empty(t, run(t, s, deadly).Restore.Lost)
	}
	res := run(t, s, deadly)
	require.Equal(t, []string{"kept", "other"}, res.Restore.Lost)
	require.Contains(t, res.Error.Message, "kept, other could not be restored")
	require.NotNil(t, run(t, s, "fmt.Println(kept)").Error)
	good(t, s, "kept := 5")
	s.BeginRun()
	require.Empty(t, run(t, s, deadly).Restore.Lost, "a new run may replay again")
	require.Equal(t, "5\n", good(t, s, "fmt.Println(kept)").Output)
}

func TestAReplayHasATimeLimit(t *testing.T) {
	t.Parallel()
	first := start(t, sandbox.Config{})
	records := []sandbox.CellRecord{
		record("kept := 1", good(t, first, "kept := 1")),
		record("last := 2\ntime.Sleep(time.Hour)", good(t, first, "last := 2")),
		record("more := 2\ntime.Sleep(time.Hour)", good(t, first, "more := 2")),
		record("after := 3", good(t, first, "after := 3")),
	}
	s := start(t, sandbox.Config{Limits: sandbox.Limits{ReplayTime: 10 * time.Second}})
	r, err := s.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Equal(t, []string{"after", "last", "more"}, r.Lost)
	require.Equal(t, 1, r.Cells)
	// The time limit of all cells expires at the same time as that of the third, so either may be reported.
	require.Regexp(t, "too long|did not end in", r.Why)
	require.Equal(t, "1\n", good(t, s, "fmt.Println(kept)").Output, "what could be built up again is kept")
}

func TestCallsThatNobodyWaitedForDoNotSpoilAReplay(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	s := start(t, sandbox.Config{Call: func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		if strings.Contains(string(c.Body), "never") {
			select {
			case <-ctx.Done():
			case <-hang:
			}
		}
		return sandbox.Reply{Body: []byte("ok")}
	}})
	good(t, s, "go llm_query(\"never answered\")\nx := llm_query(\"yes\")")
	kill(t, s)
	require.Equal(t, "ok\n", good(t, s, "fmt.Println(x)").Output)
}

// A rebuild reports its progress.
func TestAReplayTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	var told []int
	first := start(t, sandbox.Config{})
	const slow = "n := 0\nfor i := range 3_000_000 { n += i & 1 }"
	records := []sandbox.CellRecord{record(slow, good(t, first, slow)), record("m := n", good(t, first, "m := n"))}
	s := start(t, sandbox.Config{
		Restoring: func(done, of int) { told = append(told, done, of) },
	})
	r, err := s.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Empty(t, r.Losses(), r.Why)
	require.Equal(t, []int{1, 2, 2, 2}, told)
}

// Two deaths in a row, each the fault of its own cell, lose nothing.
func TestTwoDeathsInARowLoseNothing(t *testing.T) {
	t.Parallel()
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := start(t, sandbox.Config{Engine: engine})
			good(t, s, "n := 0\nbump := func() int { n++; return n }")
			good(t, s, "type pair struct{ a, b int }\np := pair{bump(), rand.Intn(1 << 40)}")
			want := good(t, s, "fmt.Println(p, bump())").Output
			good(t, s, "n--")
			for range 2 {
				res := run(t, s, "var mu sync.Mutex\nmu.Lock()\nmu.Lock()")
				require.Equal(t, cellerror.Deadlock, res.Error.Kind)
				require.Empty(t, res.Restore.Losses())
				require.Empty(t, res.Restore.LeftOut)
			}
			require.Equal(t, want, good(t, s, "fmt.Println(p, bump())").Output)
		})
	}
}
