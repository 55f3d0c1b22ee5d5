package sandbox_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

const (
	recursion          = "var f func(int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)"
	besideManyRoutines = "for i := 0; i < 3000; i++ { go func() { select {} }() }\n"
)

// deaths are all ways in which a cell can fail: the kind, a word of the message, and whether the worker dies.
var deaths = []struct {
	name, source string
	kind         cellerror.Kind
	message      string
	dies         bool
}{
	{"compile error", "x := undefinedThing + 1", cellerror.CompileError, "undefinedThing", false},
	{"panic", "var m map[string]int\nm[\"a\"] = 1", cellerror.Panic, "nil map", false},
	{"panic of its own", `panic("no more")`, cellerror.Panic, "no more", false},
	{"endless loop", "for {}", cellerror.Timeout, "longer than", true},
	{"endless sleep", "time.Sleep(time.Hour)", cellerror.Timeout, "longer than", true},
	{
		"endless compiled loop",
		"strings.Repeat(strings.Repeat(\"ab\", 1<<20), 100)\nre := regexp.MustCompile(\"(a|b|ab)*c\")\nfor { re.MatchString(strings.Repeat(\"ab\", 1<<20)) }", cellerror.Timeout, "longer than", true,
	},
	{
		"endless deferred loop", "func() { defer func() { for {} }(); panic(1) }()", cellerror.Timeout, "longer than",
		true,
	},
	{"grows a slice", "var s [][]byte\nfor { b := make([]byte, 1<<20); for i := 0; i < len(b); i += 4096 { b[i] = 1 }; s = append(s, b) }", cellerror.MemoryLimit, "memory", true},
	{"doubles a string", "s := \"x\"\nfor { s = s + s }", cellerror.MemoryLimit, "memory", true},
	{"one huge allocation", "b := make([]byte, 1<<38)\nfmt.Println(len(b))", cellerror.MemoryLimit, "memory", true},
	{"recursion", recursion, cellerror.StackOverflow, "recursion", true},
	// cells with goroutines run in the exact engine
	{"recursion beside many goroutines", besideManyRoutines + recursion, cellerror.Panic, "recursion", false},
	{
		"concurrent map writes",
		"m := map[int]int{}\nfor g := 0; g < 8; g++ { go func() { for i := 0; ; i++ { m[i%10] = i } }() }\ntime.Sleep(20 * time.Second)", cellerror.FatalRuntime, "concurrent map", true,
	},
	{"unlock of unlocked mutex", "var mu sync.Mutex\nmu.Unlock()", cellerror.FatalRuntime, "unlock", true},
	{"waits for itself", "ch := make(chan int)\nch <- 1", cellerror.Deadlock, "wait for each other", true},
	{
		"group that is never done", "var wg sync.WaitGroup\nwg.Add(1)\ngo func() {}()\nwg.Wait()", cellerror.Deadlock,
		"WaitGroup", true,
	},
	{"locks twice", "var mu sync.Mutex\nmu.Lock()\nmu.Lock()", cellerror.Deadlock, "wait for each other", true},
	{"no budget", `llm_query("budget")`, cellerror.BudgetExceeded, "no budget is left", false},
}

// If a file is truncated while cells read it, the error says so, and does not look like a fault of the cell.
func TestContextCutShort(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: a file that is mapped cannot be cut on Windows")
	}
	c := text(t, strings.Repeat("a line of the context\n", 50_000))
	s := start(t, sandbox.Config{Context: c})
	require.Equal(t, "50000", good(t, s, `strings.Count(context, "\n")`).Value)
	require.NoError(t, os.Truncate(c.File.Name(), 0))
	res := run(t, s, `strings.Count(context, "\n")`)
	require.NotNil(t, res.Error)
	require.Equal(t, cellerror.FatalRuntime, res.Error.Kind)
	require.Contains(t, res.Error.Message, "the file behind the context was cut short")
}

// Infinite recursion is not fatal in the exact engine: the session keeps all that the cell set.
func TestARecursionLeavesAnExactSessionAsItIs(t *testing.T) {
	t.Parallel()
	if raceBuild {
		t.Skip("SKIPPED: a worker with the race detector in it uses other amounts of memory")
	}
	s := start(t, sandbox.Config{Engine: repl.Exact, Limits: sandbox.Limits{CellMemory: 256 << 20}})
	good(t, s, "before := 7\nvar f func(int) int\nf = func(n int) int { if n == 0 { return 0 }; return f(n-1) + 1 }")
	require.Equal(t, "100000", good(t, s, "f(100_000)").Value)
	for _, source := range []string{
		"before++\nf(-1)", "before++\nvar wg sync.WaitGroup\nwg.Go(func() { f(-1) })\nwg.Wait()",
	} {
		res := run(t, s, source)
		require.NotNil(t, res.Error)
		require.Contains(t, res.Error.Message, "stack overflow")
		if !strings.Contains(source, "wg") {
			require.Nil(t, res.Restore, "the worker lives")
		}
	}
	require.Equal(t, "4", good(t, s, "f(4)").Value)
}

func TestEveryDeathIsAResult(t *testing.T) {
	t.Parallel()
	for _, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			if raceBuild && (d.kind == cellerror.MemoryLimit || d.kind == cellerror.StackOverflow ||
				d.name == "endless compiled loop") {
				t.Skip("SKIPPED: a worker with the race detector in it uses other amounts of memory")
			}
			cfg := sandbox.Config{
				Limits: sandbox.Limits{CellMemory: 256 << 20},
				Call: func(context.Context, sandbox.Call) sandbox.Reply {
					return sandbox.Reply{Unwind: true, Error: "no budget is left"}
				},
			}
			if d.kind == cellerror.StackOverflow {
				cfg.Engine = repl.Yaegi // the exact engine makes it a panic, see below
			}
			s := startWith(t, hasty, cfg)
			good(t, s, "before := 7\nadd := func(n int) int { before += n; return before }")
			good(t, s, "add(1)")
			if d.kind == cellerror.Timeout {
				sandbox.SetCellTime(s, time.Second) // the other cells have more, however busy the machine is
			}
			res := run(t, s, `fmt.Println("printed before")`+"\n"+d.source)
			sandbox.SetCellTime(s, time.Minute)
			require.NotNil(t, res.Error)
			require.Equal(t, d.kind, res.Error.Kind, res.Error.Message)
			require.Contains(t, res.Error.Message, d.message)
			if d.kind != cellerror.CompileError {
				require.Equal(t, "printed before\n", res.Output)
			}
			if d.dies {
				require.NotNil(t, res.Restore, "the worker should have died")
				require.Empty(t, res.Restore.Losses())
				require.Equal(t, 2, res.Restore.Cells)
				require.Contains(t, res.Error.Message, "cell 3")
				require.Contains(t, res.Error.Message, "as they were before")
			} else {
				require.Nil(t, res.Restore, "the worker should live")
			}
			require.Equal(t, "10\n", good(t, s, "fmt.Println(add(2))").Output)
		})
	}
}

// Infinite recursion in yaegi may overflow the stack or move before that, depending on the machine, as growing the
// stack uses CPU time. Either way the cell reports what was wrong, and the notebook keeps its state.
func TestARecursionWithoutAnEndIsAResultInEitherEngine(t *testing.T) {
	t.Parallel()
	if raceBuild {
		t.Skip("SKIPPED: a worker with the race detector in it uses other amounts of memory")
	}
	// This variant moves on every machine.
	computes := strings.Replace(recursion, "return", "for i := range 400 { _ = i * i }; return", 1)
	for _, source := range []string{recursion, besideManyRoutines + recursion, computes} {
		s := start(t, sandbox.Config{Limits: sandbox.Limits{CellMemory: 256 << 20}})
		good(t, s, "before := 7\nadd := func(n int) int { before += n; return before }")
		good(t, s, "add(1)")
		res := run(t, s, "fmt.Println(\"printed before\")\n"+source)
		require.NotNil(t, res.Error, source)
		require.Equal(t, "printed before\n", res.Output, source)
		require.Contains(t, res.Error.Message, "recursion", source)
		if res.Error.Kind == cellerror.StackOverflow {
			require.NotNil(t, res.Restore, "the worker should have died")
			require.Empty(t, res.Restore.Losses())
			require.NotEqual(t, computes, source)
		} else {
			require.Equal(t, cellerror.Panic, res.Error.Kind, res.Error.Message)
			require.NotNil(t, res.Moved, "in yaegi it is no panic")
		}
		require.Equal(t, "10\n", good(t, s, "fmt.Println(add(2))").Output)
	}
}

func TestAGoroutinesPanicIsAnErrorOfItsCell(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	good(t, s, "before := 7")
	res := run(t, s, "fmt.Println(\"printed before\")\ndone := make(chan int)\ngo func() { defer close(done); var p *int; *p = 1 }()\n<-done\ntime.Sleep(2 * time.Second)")
	require.NotNil(t, res.Error)
	require.Equal(t, cellerror.GoroutinePanic, res.Error.Kind, res.Error.Message)
	require.Contains(t, res.Error.Message, "nil pointer")
	require.Equal(t, "printed before\n", res.Output)
	require.Equal(t, "7\n", good(t, s, "fmt.Println(before)").Output)
}

// A deadlocked cell ends long before its time limit, which is longer than this test may take.
func TestADeadlockIsFoundLongBeforeTheTimeout(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Limits: sandbox.Limits{CellTime: 24 * time.Hour}})
	res := run(t, s, "ch := make(chan int)\nfmt.Println(\"waiting\")\n<-ch")
	require.Equal(t, cellerror.Deadlock, res.Error.Kind)
	require.Equal(t, "waiting\n", res.Output)
}

func TestWaitingForATimerIsNoDeadlock(t *testing.T) {
	t.Parallel()
	s := startWith(t, hasty, sandbox.Config{})
	good(t, s, "wait := func() { <-time.After(600 * time.Millisecond) }") // three times the suspicious idle time
	good(t, s, "wait()")
}

// A stopped cell ends only after its calls have ended, so that their usage can be summed up.
func TestAStoppedCellWaitsForItsCalls(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var over atomic.Bool
	s := start(t, sandbox.Config{Call: func(ctx context.Context, _ sandbox.Call) sandbox.Reply {
		stop()
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond) // the endpoint reacts slowly
		over.Store(true)
		return sandbox.Reply{Unwind: true, Error: "stopped"}
	}})
	_, err := s.Run(ctx, sandbox.Cell{Source: `llm_query("a question")`})
	require.NoError(t, err)
	require.True(t, over.Load())
}

func TestCancellingARun(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	good(t, s, "x := 5")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	res, err := s.Run(ctx, sandbox.Cell{Source: "for {}"})
	require.NoError(t, err)
	require.Equal(t, cellerror.Cancelled, res.Error.Kind)
	res = good(t, s, "fmt.Println(x)")
	require.Equal(t, "5\n", res.Output)
	require.NotNil(t, res.Restore)
}

func TestGoroutinesThatACellLeavesBehind(t *testing.T) {
	t.Parallel()
	called := make(chan string, 100)
	s := start(t, sandbox.Config{
		Limits: sandbox.Limits{CellMemory: 256 << 20},
		Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
			called <- string(c.Body)
			return sandbox.Reply{}
		},
	})
	good(t, s, `n := 0
go func() { for { n++ } }()
go func() { time.Sleep(time.Second); llm_query("late") }()
x := 1`)
	for len(called) > 0 { // drop calls made before the cell ended, on a busy machine
		<-called
	}
	time.Sleep(1500 * time.Millisecond) // time in which a late call could arrive
	require.Empty(t, called, "between cells nothing is asked")
	require.Equal(t, "1\n", good(t, s, "fmt.Println(x)").Output)
}
