package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// way is a notebook with a cell that takes another way when it runs again: then the sources in now replace its own.
type way struct {
	cells     []string
	now       map[int]string // changed sources, by the index of the cell
	lost      []string
	differing []string
	why       string
	look      string // a cell that runs afterwards and must print prints
	prints    string
}

// begin and after surround the cell that takes another way; the variables that they set must survive.
const (
	begin = "first := 1\nseen := []string{}"
	after = "later := first + 1"
)

var ways = map[string]way{
	"asks something else": {
		cells: []string{begin, `early := 5
y := llm_query("old")
late := 6`, after},
		now: map[int]string{1: `early := 5
y := llm_query("new")
late := 6`},
		lost: []string{"late", "y"}, why: `cell 2 asked something else than the first time ("new")`,
		look: "fmt.Println(first, early, later)", prints: "1 5 2\n",
	},
	"in a goroutine": {
		cells: []string{begin, `done := make(chan bool)
got := ""
go func() { defer close(done); got = llm_query("old") }()
<-done
tail := 7`, after},
		now: map[int]string{1: `done := make(chan bool)
got := ""
go func() { defer close(done); got = llm_query("new") }()
<-done
tail := 7`},
		differing: []string{"got"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, got == \"\", later)", prints: "1 true 2\n",
	},
	"in a goroutine that nobody is told of": {
		cells: []string{begin, `done := make(chan bool)
got := ""
go func() { got = llm_query("old"); close(done) }()
<-done
func helper() int { return 1 }`, after},
		now: map[int]string{1: `done := make(chan bool)
got := ""
go func() { got = llm_query("new"); close(done) }()
<-done
func helper() int { return 1 }`},
		differing: []string{"got"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"in a batch that is half known": {
		cells: []string{begin, `rs := llm_query_batched([]string{"a", "b"})
more := len(rs)`, after},
		now: map[int]string{1: `rs := llm_query_batched([]string{"a", "c"})
more := len(rs)`},
		lost: []string{"more", "rs"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"beside replies that are known": {
		cells: []string{begin, `var mu sync.Mutex
var wg sync.WaitGroup
for _, p := range []string{"a", "b", "c"} { wg.Go(func() { r := llm_query(p); mu.Lock(); defer mu.Unlock(); seen = append(seen, r) }) }
wg.Wait()`, after},
		now: map[int]string{1: `var mu sync.Mutex
var wg sync.WaitGroup
for _, p := range []string{"a", "x", "c"} { wg.Go(func() { r := llm_query(p); mu.Lock(); defer mu.Unlock(); seen = append(seen, r) }) }
wg.Wait()`},
		differing: []string{"seen"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, slices.Sorted(slices.Values(seen)), later)", prints: "1 [re:a re:c] 2\n",
	},
	"while a timer is set that never fired": {
		cells: []string{begin, `y := ""
reply, late := make(chan string, 1), time.After(time.Hour)
go func() { reply <- llm_query("old") }()
y = <-reply`, after},
		now: map[int]string{1: `y := ""
reply, late := make(chan string, 1), time.After(time.Hour)
go func() { reply <- llm_query("new") }()
y = <-reply`},
		differing: []string{"y"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"while an earlier cell's ticker ticks": {
		cells: []string{begin, "for range time.Tick(time.Millisecond) { break }", `y := llm_query("old")`, after},
		now:   map[int]string{2: `y := llm_query("new")`},
		lost:  []string{"y"}, why: "cell 3 asked something else",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"and what it left behind asks while the next cell runs": {
		cells: []string{begin, `gate := make(chan bool)
go func() { <-gate }()
y := llm_query("old")`, `r := llm_query("a")
close(gate)
s := llm_query("b")`, after},
		now: map[int]string{1: `gate := make(chan bool)
go func() { <-gate; llm_query("late") }()
y := llm_query("new")`},
		lost: []string{"y"}, why: "cell 2 asked something else",
		look: "fmt.Println(first, r, s, later)", prints: "1 re:a re:b 2\n",
	},
	"makes fewer calls": {
		cells: []string{begin, `y := llm_query("a") + llm_query("b") + llm_query("c")
z := 1`, after},
		now: map[int]string{1: `y := llm_query("c")
z := 1`},
		differing: []string{"y"}, why: "another value",
		look: "fmt.Println(y, z, later)", prints: "re:c 1 2\n",
	},
	"and a later cell needs what is lost": {
		cells: []string{begin, `y := llm_query("old")`, "n := len(y)", "func double() int { return 2 * n }", after},
		now:   map[int]string{1: `y := llm_query("new")`},
		lost:  []string{"double", "n", "y"}, why: "cell 3 does not compile any more",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"and an older value is there instead": {
		cells: []string{
			begin, "y := \"old\"\nfunc f() int { return 1 }", "y = llm_query(\"a\")",
			"func f() int { return len(y) }\nconst lim, top = 1, 2", after,
		},
		now: map[int]string{
			2: "y = llm_query(\"b\")",
			3: "func f() int { return len(y) }\nconst lim, top = 1, 2\nfor { x := make([]byte, 1<<20); runtime.KeepAlive(x) }",
		},
		lost: []string{"lim", "top"}, differing: []string{"f", "y"}, why: "cell 3 asked something else",
		look: "fmt.Println(first, y, f(), later)", prints: "1 old 1 2\n",
	},
	"computes for ever": {
		cells: []string{begin, "x := 1\nfunc g() {}", after},
		now:   map[int]string{1: "x := 1\nfunc g() {}\nfor {}"},
		lost:  []string{"g", "x"}, why: "cell 2 did not end",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"dies of its memory": {
		cells: []string{begin, "x := 1\nbig := []byte{}", after},
		now:   map[int]string{1: "x := 1\nbig := make([]byte, 600<<20)\nfor i := range big { big[i] = 1 }"},
		lost:  []string{"big", "x"}, why: "cell 2",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"waits for itself": {
		cells: []string{begin, "x := 1\nvar mu sync.Mutex", after},
		now:   map[int]string{1: "x := 1\nvar mu sync.Mutex\nmu.Lock()\nmu.Lock()"},
		lost:  []string{"mu", "x"}, why: "cell 2 all goroutines of the cell wait",
		look: "fmt.Println(first, later)", prints: "1 2\n",
	},
	"panics": {
		cells: []string{begin, "x := 1\ni := 0\nv := []int{5}[i]", after},
		now:   map[int]string{1: "x := 1\ni := 3\nv := []int{5}[i]"},
		lost:  []string{"v"}, differing: []string{"i"}, why: "index out of range",
		look: "fmt.Println(first, x, i, later)", prints: "1 1 3 2\n",
	},
}

func echoCalls(calls *atomic.Int32) func(context.Context, sandbox.Call) sandbox.Reply {
	return func(_ context.Context, c sandbox.Call) sandbox.Reply {
		calls.Add(1)
		return sandbox.Reply{Body: append([]byte("re:"), c.Body...)}
	}
}

// concurrent matches sources that do several things at the same time.
var concurrent = regexp.MustCompile(`\bgo func|\.Go\(|make\(chan|time\.(Tick|After)`)

// A cell that takes another way in a rebuild loses the variables that it set, and no others.
func TestACellThatGoesAnotherWay(t *testing.T) {
	t.Parallel()
	limits := sandbox.Limits{CellMemory: 256 << 20, ReplayTime: 10 * time.Minute}
	waits := hasty
	waits.Replay = 500 * time.Millisecond
	if os.Getenv("RLM_LONG") != "" {
		waits = patience.Default()
	}
	for name, w := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			engine := sandbox.Auto
			if concurrent.MatchString(fmt.Sprint(w.cells, w.now)) { // yaegi leaves such a cell to the exact engine
				engine = repl.Exact
			}
			s := start(t, sandbox.Config{Engine: engine, Limits: limits, Call: echoCalls(&calls)})
			var records []sandbox.CellRecord
			for i, source := range w.cells {
				res := good(t, s, source)
				if now, ok := w.now[i]; ok {
					source = now
				}
				records = append(records, record(source, res))
			}
			calls.Store(0)
			other := startWith(t, waits, sandbox.Config{Engine: engine, Limits: limits, Call: echoCalls(&calls)})
			r, err := other.Restore(t.Context(), records)
			require.NoError(t, err)
			require.Equal(t, w.lost, r.Lost, r.Why)
			require.Equal(t, w.differing, r.Differing, r.Why)
			require.Contains(t, r.Why, w.why)
			require.False(t, r.Late)
			require.Equal(t, w.prints, good(t, other, w.look).Output)
			require.Zero(t, calls.Load(), "a replay asks nobody")

			kill(t, other)
			require.Equal(t, w.prints, good(t, other, w.look).Output, "what was told once holds from then on")
		})
	}
}

// After a rebuild, replies that the session itself gave are reused even if a cell asks for only some of them.
func TestAfterADeathACellMayAskForLess(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := start(t, sandbox.Config{
		Limits: sandbox.Limits{ReplayTime: 10 * time.Minute},
		Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
			return sandbox.Reply{Body: slices.Concat([]byte("re:"), c.Body), Order: int(calls.Add(1))}
		},
	})
	// The number of calls depends on the address of a variable, which differs in each worker.
	good(t, s, `n := 0
at := fmt.Sprintf("%p", &n)
rs := []string{}
for _, c := range at[len(at)-6:] { rs = append(rs, llm_query(string(c))) }
last := llm_query("last")`)
	good(t, s, "kept := 5")
	asked := calls.Load()
	require.NotNil(t, run(t, s, "func() { var mu sync.RWMutex; mu.Unlock() }()").Restore, "the worker dies")
	require.Equal(t, "5\n", good(t, s, "fmt.Println(kept)").Output)
	require.Equal(t, asked, calls.Load(), "a replay asks nobody")
}

// In a rebuild, a cell that waits for ever may use half of the time limit for all cells. Then only that cell is
// abandoned.
func TestACellThatWaitsInARebuild(t *testing.T) {
	t.Parallel()
	first := start(t, sandbox.Config{})
	records := []sandbox.CellRecord{
		record("kept := 1", good(t, first, "kept := 1")),
		record("last := 2\ntime.Sleep(time.Hour)", good(t, first, "last := 2")),
		record("after := 3", good(t, first, "after := 3")),
	}
	s := start(t, sandbox.Config{Limits: sandbox.Limits{ReplayTime: 4 * time.Second}})
	r, err := s.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Equal(t, []string{"last"}, r.Lost)
	require.False(t, r.Late)
	require.Contains(t, r.Why, "cell 2 did not end")
	require.Equal(t, "1 3\n", good(t, s, "fmt.Println(kept, after)").Output)
}

// If many cells do not end, a rebuild loses what they set and nothing else, and describes the first three of them.
func TestARebuildOfManyCellsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	first := start(t, sandbox.Config{Engine: repl.Exact})
	var records []sandbox.CellRecord
	var lost []string
	for i := range 6 {
		name := string(rune('a' + i))
		lost = append(lost, name)
		records = append(records, record(name+" := 1\nselect {}", good(t, first, name+" := 1")))
	}
	records = append(records, record("kept := 1", good(t, first, "kept := 1")))
	s := startWith(t, hasty, sandbox.Config{Engine: repl.Exact, Limits: sandbox.Limits{ReplayTime: 10 * time.Minute}})
	r, err := s.Restore(t.Context(), records)
	require.NoError(t, err)
	require.Equal(t, lost, r.Lost)
	require.Equal(t, 1, r.Cells)
	require.Equal(t, 3, strings.Count(r.Why, "wait for each other"))
	require.Contains(t, r.Why, "and 3 more cells")
	require.Equal(t, "1\n", good(t, s, "fmt.Println(kept)").Output)
}
