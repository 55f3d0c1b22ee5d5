package sandbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// onlyExact is a cell that yaegi rejects and the exact engine runs.
const onlyExact = "type Tree []Tree\nvar t Tree = Tree{nil, {}}\nfmt.Println(\"exact\")"

// computing is the start of a cell. It computes until the cell moves, even on the fastest machine; if the cell
// does not move, it ends after a while.
const computing = "sum := 0\nfor i := 0; i < 8_000_000; i++ { sum += i % 7 }\n"

// watched is a session with a record of what its host observed.
type watched struct {
	*sandbox.Session
	mu      sync.Mutex
	moves   []sandbox.Move
	printed strings.Builder
	asked   map[string]int // number of calls by prompt
}

// watch starts a session with a MoveAfter that any loop exceeds.
func watch(t *testing.T, cfg sandbox.Config) *watched {
	if !slices.Contains(repl.Available(), repl.Exact) {
		t.Skip("this program has no exact engine")
	}
	w := &watched{asked: map[string]int{}}
	if cfg.Limits.MoveAfter == 0 {
		cfg.Limits.MoveAfter = 40 * time.Millisecond
	}
	answer := cfg.Call
	if answer == nil {
		answer = echo
	}
	cfg.Call = func(ctx context.Context, c sandbox.Call) sandbox.Reply {
		w.mu.Lock()
		w.asked[fmt.Sprint(string(c.Body), c.N)]++
		w.mu.Unlock()
		return answer(ctx, c)
	}
	cfg.Print = func(_ int, text []byte) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.printed.Write(text)
	}
	told := cfg.Moved
	cfg.Moved = func(m sandbox.Move) error {
		w.mu.Lock()
		w.moves = append(w.moves, m)
		w.mu.Unlock()
		if told != nil {
			return told(m)
		}
		return nil
	}
	waits := hasty
	waits.Idle = patience.Default().Idle // longer, because engines wait after a panic in a goroutine
	w.Session = startWith(t, waits, cfg)
	return w
}

func (w *watched) reasons() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.moves {
		out = append(out, fmt.Sprint(m.Reason, m.Cell))
	}
	return out
}

// once fails if any call was made twice.
func (w *watched) once(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for prompt, times := range w.asked {
		require.Equal(t, 1, times, prompt)
	}
}

func TestACellThatYaegiRefusesRunsInTheExactEngine(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{})
	good(t, w.Session, `x := llm_query("one")`+"\nr := rand.Intn(1 << 40)")
	before := good(t, w.Session, "fmt.Println(x, r)").Output
	res := good(t, w.Session, onlyExact)
	require.Equal(t, "exact\n", res.Output)
	require.Nil(t, res.Restore)
	require.Empty(t, res.Notes)
	require.Equal(t, repl.Exact, res.Moved.To)
	require.Contains(t, res.Moved.Why, "yaegi cannot run")
	require.Equal(t, before, good(t, w.Session, "fmt.Println(x, r)").Output)
	good(t, w.Session, onlyExact)
	require.Equal(t, []string{"refused3"}, w.reasons(), "it moves once")
	require.Equal(t, before+"exact\n"+before+"exact\n", w.printed.String())
	w.once(t)
	kill(t, w.Session)
	require.Equal(t, before, good(t, w.Session, "fmt.Println(x, r)").Output)
	require.Len(t, w.moves, 1, "a new worker is of the same engine")
}

// astray is a cell whose prompt differs each time it runs: a notebook with it cannot be rebuilt.
const astray = `n := 0
fmt.Sscanf(fmt.Sprintf("%p", new(int)), "0x%x", &n)
said := llm_query(fmt.Sprint(n))`

func TestANotebookThatCannotMoveStaysWhatItIs(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{Workers: pool(t, 3)})
	good(t, w.Session, astray)
	want := good(t, w.Session, "fmt.Println(n, said)").Output
	for range 2 {
		res := run(t, w.Session, onlyExact)
		require.Equal(t, cellerror.Refused, res.Error.Kind)
		require.Nil(t, res.Moved)
		require.Nil(t, res.Restore)
		require.Equal(t, want, good(t, w.Session, "fmt.Println(n, said)").Output)
	}
	good(t, w.Session, computing)
	require.Empty(t, w.moves)
	w.once(t)
}

// Without room for a second worker, a notebook that cannot move is rebuilt, and losses are reported.
func TestANotebookWithoutRoomThatCannotMove(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{Workers: pool(t, 1)})
	good(t, w.Session, astray+"\nx := 1")
	good(t, w.Session, "y := 2")
	res := run(t, w.Session, onlyExact)
	require.Equal(t, cellerror.Refused, res.Error.Kind)
	require.Equal(t, []string{"said", "x"}, res.Restore.Lost)
	require.Equal(t, "2\n", good(t, w.Session, "fmt.Println(y)").Output)
	require.Empty(t, w.moves)
	w.once(t)
}

func pool(t *testing.T, most int) *sandbox.Workers {
	p := sandbox.NewWorkers(most, 0)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func TestACellThatComputesGoesOnInTheExactEngine(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{})
	good(t, w.Session, `x := llm_query("before")`)
	res := good(t, w.Session, `now := time.Now()
fmt.Println("a", now, rand.Intn(1 << 40))
y := llm_query("first")
fmt.Println("b", x, y, time.Now())
`+computing+`z := llm_query("second")
fmt.Println("c", sum, z)`)
	require.Equal(t, []string{"computed2"}, w.reasons())
	require.False(t, res.Moved.Differs)
	require.Equal(t, res.Output, w.printed.String(), "what was printed before is shown once")
	require.Regexp(t, `(?s)^a .*\nb re: before re: first .*\nc \d+ re: second\n$`, res.Output)
	require.Len(t, res.Calls, 2)
	w.once(t)
	want := good(t, w.Session, "fmt.Println(x, y, z, now, sum)").Output
	kill(t, w.Session)
	require.Equal(t, want, good(t, w.Session, "fmt.Println(x, y, z, now, sum)").Output)
}

func TestCallsUnderWayAreNotMadeAgain(t *testing.T) {
	t.Parallel()
	var moved atomic.Bool
	w := watch(t, sandbox.Config{
		Moved: func(sandbox.Move) error { moved.Store(true); return nil },
		Call: func(ctx context.Context, c sandbox.Call) sandbox.Reply {
			for string(c.Body) != "p0" && string(c.Body) != "p1" && !moved.Load() && ctx.Err() == nil {
				time.Sleep(time.Millisecond) // wait until the cell has moved
			}
			if ctx.Err() != nil {
				return sandbox.Reply{Error: "cancelled", Unwind: true}
			}
			return echo(ctx, c)
		},
	})
	res := good(t, w.Session, `results := make([]string, 12)
order := []int{}
var mu sync.Mutex
var wg sync.WaitGroup
for i := range results {
	wg.Add(1)
	go func() {
		defer wg.Done()
		results[i] = llm_query(fmt.Sprint("p", i))
		mu.Lock()
		defer mu.Unlock()
		order = append(order, i)
	}()
}
time.Sleep(50 * time.Millisecond)
`+computing+`wg.Wait()
<-time.After(time.Millisecond)
fmt.Println(results, len(order), sum)`)
	require.Equal(t, []string{"refused1"}, w.reasons(), "yaegi starts no goroutines")
	require.Equal(t, res.Output, w.printed.String())
	require.Len(t, res.Calls, 12)
	w.once(t)
	want := good(t, w.Session, "fmt.Println(results, order)").Output
	kill(t, w.Session)
	require.Equal(t, want, good(t, w.Session, "fmt.Println(results, order)").Output)
	w.once(t)
}

func TestOtherOutputOfACellThatMoved(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"differs":    `fmt.Println("a")` + "\n" + `fmt.Printf("%d of %s\n", runtime_, "it")`,
		"is shorter": `fmt.Print(strings.Repeat("a", runtime_%1000))`,
	} {
		t.Run(name, func(t *testing.T) {
			// Only addresses differ between processes.
			w := watch(t, sandbox.Config{})
			first := "p := new([8]int)\nruntime_ := 0\nfmt.Sscanf(fmt.Sprintf(\"%p\", p), \"0x%x\", &runtime_)\nruntime_ /= 64\n"
			res := good(t, w.Session, first+source+"\n"+computing+"fmt.Println(\"end\")")
			require.Len(t, w.moves, 1)
			if !res.Moved.Differs {
				t.Skip("the address is the same by chance")
			}
			_, after, ok := strings.Cut(w.printed.String(), "prints something else:]\n")
			require.True(t, ok, w.printed.String())
			require.Equal(t, res.Output, after)
		})
	}
}

func TestCompiledCodeDoesNotMove(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{})
	good(t, w.Session, `text := strings.Repeat("a", 3_000_000)
fmt.Println(len(regexp.MustCompile("(a|aa|b)*c").FindAllString(text, -1)))`)
	require.Empty(t, w.moves)
}

func TestAnEngineThatIsChosenStays(t *testing.T) {
	t.Parallel()
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		w := watch(t, sandbox.Config{Engine: engine})
		good(t, w.Session, computing)
		res := run(t, w.Session, onlyExact)
		require.Equal(t, engine == repl.Yaegi, res.Error != nil)
		require.Empty(t, w.moves)
	}
}

func TestCellsThatComputedAreRestoredInTheExactEngine(t *testing.T) {
	t.Parallel()
	first := start(t, sandbox.Config{})
	source := "x := 1\n" + computing
	res := good(t, first, source)
	require.Positive(t, res.Computed)
	kept := record(source, res)
	w := watch(t, sandbox.Config{Limits: sandbox.Limits{MoveAfter: res.Computed - 1}})
	kept.Computed = res.Computed
	restored, err := w.Restore(t.Context(), []sandbox.CellRecord{kept})
	require.NoError(t, err)
	require.Empty(t, restored.Losses())
	require.Equal(t, []string{"replay2"}, w.reasons())
	require.Equal(t, "1\n", good(t, w.Session, "fmt.Println(x)").Output)
	good(t, w.Session, onlyExact)
	require.Len(t, w.moves, 1)
}

// A log of an earlier version may have cells that yaegi ran then and rejects now.
func TestCellsThatYaegiRefusesNowAreRestoredInTheExactEngine(t *testing.T) {
	t.Parallel()
	source := onlyExact + "\nx := 1"
	kept := record(source, good(t, start(t, sandbox.Config{Engine: repl.Exact}), source))
	w := watch(t, sandbox.Config{})
	restored, err := w.Restore(t.Context(), []sandbox.CellRecord{kept})
	require.NoError(t, err)
	require.Empty(t, restored.Losses())
	require.Equal(t, []string{"replay2"}, w.reasons())
	require.Equal(t, "1\n", good(t, w.Session, "fmt.Println(x)").Output)
}

func TestAMoveThatIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := watch(t, sandbox.Config{Moved: func(sandbox.Move) error { cancel(); return nil }})
	good(t, w.Session, "x := 1")
	res, err := w.Run(ctx, sandbox.Cell{Source: computing + "select {}"})
	require.NoError(t, err)
	require.Equal(t, cellerror.Cancelled, res.Error.Kind)
	require.Equal(t, "1\n", good(t, w.Session, "fmt.Println(x)").Output)
}

func TestLimitsHoldAfterAMove(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{Limits: sandbox.Limits{CellCPU: 2 * time.Second}})
	good(t, w.Session, "x := 1")
	res := run(t, w.Session, "fmt.Println(\"begins\")\nfor i := 0; ; i++ { x = i }")
	require.Equal(t, cellerror.Timeout, res.Error.Kind, res.Error)
	require.Equal(t, "begins\n", res.Output)
	require.Equal(t, "begins\n", w.printed.String())
	require.Equal(t, []string{"computed2"}, w.reasons())
	require.Equal(t, "1\n", good(t, w.Session, "fmt.Println(x)").Output)
}
