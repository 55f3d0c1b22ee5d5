package runner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// onlyExact is a cell that yaegi refuses and the exact engine runs.
const onlyExact = "type Tree []Tree\nvar tree Tree = Tree{nil, {}}\nexact := fmt.Sprint(len(tree), \" exact\")\nfmt.Println(exact)"

// computing is a piece of a cell that computes for much longer than moveAfter in yaegi, even on the fastest
// machine.
const computing = "sum := 0\nfor i := 0; i < 4_000_000; i++ { sum += i % 7 }\n"

const moveAfter = 40 * time.Millisecond

// movingCells compute between calls and in child runs, and make calls in goroutines, which need the exact engine.
// Their results depend only on the seed and the replies.
var movingCells = []string{
	`dice := rand.Intn(1_000_000)
counts := map[string]int{}
for i := range 20 { counts[fmt.Sprint("k", i%7)] += i }
keys := ""
for k := range counts { keys += k }
first := llm_query_batched([]string{"a", "b", "a"})
fmt.Println(dice, keys, first)`,

	`before := llm_query("before")
fmt.Println("before", before, rand.Intn(1_000_000))
parts := make([]string, 8)
for i := range parts { parts[i] = fmt.Sprint("part ", i) }
results := llm_query_batched(parts)
time.Sleep(2 * time.Millisecond)
` + computing + `fmt.Println("computed", sum)
chosen := ""
for k := range counts { chosen += k }
after := llm_query("after " + chosen)
fmt.Println(results, after)`,

	`children := rlm_query_batched([]string{"q1", "q2"}, "one", "two")
fmt.Println(children)`,

	onlyExact + `
a, b := make(chan int, 20), make(chan int, 20)
for i := range 20 { a <- i; b <- i }
picked := ""
for range 20 { select { case <-a: picked += "a"; case <-b: picked += "b" } }
asked := make([]string, 8)
var wg sync.WaitGroup
for i := range asked { wg.Go(func() { asked[i] = llm_query(fmt.Sprint("asked ", i)) }) }
tick := time.After(2 * time.Millisecond)
<-tick
wg.Wait()`,

	`FINAL(fmt.Sprint(dice, keys, first, before, results, sum, chosen, after, children, exact, picked, asked))`,
}

// childCells are the cells of a child run. They move too.
var childCells = []string{
	`part := llm_query("from " + context)
` + computing + `more := llm_query(fmt.Sprint("more of ", context, sum))
fmt.Println(part, more)`,
	`FINAL(part + more)`,
}

// moving answers each sub-call after a random delay, and counts the calls by key.
type moving struct {
	slowest time.Duration

	mu    sync.Mutex
	asked map[llm.Key]int
}

func (m *moving) Name() string { return "moving" }

func (m *moving) Generate(ctx context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[llm.Key]int{}
	}
	m.asked[req.Key]++
	m.mu.Unlock()
	answer := "re " + req.Messages[len(req.Messages)-1].Content
	switch {
	case req.Key.Cell > 0:
		time.Sleep(time.Duration(rand.Int64N(int64(m.slowest) + 1)))
	case req.Key.Path != "":
		answer = fence(childCells[min(req.Key.N, len(childCells)-1)])
	default:
		answer = fence(movingCells[min(req.Key.N, len(movingCells)-1)])
	}
	if ctx.Err() != nil {
		return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "cancelled", Err: ctx.Err()}
	}
	return llm.Response{
		Content: answer, Model: "moving", FinishReason: "stop", Attempts: 1,
		Usage: llm.Usage{Prompt: 10, Completion: 5},
	}, nil
}

// movingOptions returns options with which cells move early.
func movingOptions(opts ...runner.Option) []runner.Option {
	return append([]runner.Option{runner.WithSandbox(sandbox.Best, sandbox.Limits{MoveAfter: moveAfter})}, opts...)
}

func needsExact(t *testing.T) {
	t.Helper()
	if !slices.Contains(repl.Available(), repl.Exact) {
		t.Skip("this program has no exact engine")
	}
}

// paidIn returns the keys of the calls with replies in events.
func paidIn(events []trajectory.Event) map[llm.Key]bool {
	paid := map[llm.Key]bool{}
	turns := map[string]int{}
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.TurnStarted:
			turns[ev.Path] = d.N
		case trajectory.ReplyReceived:
			paid[llm.Key{Path: ev.Path, Hash: "turn", N: turns[ev.Path]}] = true
		case trajectory.SubCallEnded:
			if d.Usage.Prompt > 0 {
				paid[llm.Key{Path: ev.Path, Cell: d.Cell, Hash: d.Hash, N: d.N}] = true
			}
		}
	}
	return paid
}

// outputs returns the output of a run's cells, by path and cell.
func outputs(events []trajectory.Event) map[string]string {
	out := map[string]string{}
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellEnded); ok {
			out[fmt.Sprint(ev.Path, " ", d.Cell)] = d.Output
		}
	}
	return out
}

// reasons returns why the notebooks of a run moved, by path.
func reasons(events []trajectory.Event) map[string][]string {
	out := map[string][]string{}
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.EngineMoved); ok {
			out[ev.Path] = append(out[ev.Path], fmt.Sprint(d.Reason, d.Cell))
		}
	}
	return out
}

// moved runs the script once and checks all moves.
func moved(t *testing.T, model *moving) (*runner.Runner, runner.Result, []trajectory.Event) {
	t.Helper()
	needsExact(t)
	r := newRunner(t, model, movingOptions()...)
	printed := map[string]string{}
	res := runner.Result{}
	for ev, err := range r.Run(timeout(t), "question", runner.Text("t", "some text")) {
		require.NoError(t, err)
		res.Add(ev)
		if d, ok := ev.Data.(trajectory.CellPrinted); ok {
			printed[fmt.Sprint(ev.Path, " ", d.Cell)] += d.Text
		}
	}
	require.True(t, res.HasAnswer, res.Reason)
	for key, times := range model.asked {
		require.Equal(t, 1, times, "%+v", key)
	}
	events := eventsOf(t, r, res.RunID)
	require.Equal(t, map[string][]string{"": {"computed2"}, "1.3/1": {"computed1"}, "1.3/2": {"computed1"}},
		reasons(events))
	for at, output := range outputs(events) {
		require.Equal(t, output, printed[at], "what cell %s printed is shown once", at)
	}
	return r, res, events
}

func TestARunMovesWithItsChildren(t *testing.T) {
	t.Parallel()
	r, res, events := moved(t, &moving{slowest: 20 * time.Millisecond})
	require.Empty(t, dataOf[trajectory.Restored](events))
	require.Empty(t, warnings(events, "notebook"))
	started := dataOf[trajectory.CellStarted](events)
	require.Equal(t, "yaegi", started[0].Engine)
	require.Equal(t, "exact", started[len(started)-1].Engine)
	for cell, err := range r.Replay(timeout(t), res.RunID) {
		require.NoError(t, err)
		require.True(t, cell.Same, "%+v", cell)
	}
	for _, m := range dataOf[trajectory.MessageAdded](events) {
		require.NotContains(t, m.Content.String(), "engine", "the model is told nothing")
	}
}

// A run that is killed at any event around its moves continues with the same values, and repeats no recorded call.
func TestARunKilledAroundItsMoves(t *testing.T) {
	t.Parallel()
	r, want, events := moved(t, &moving{slowest: 30 * time.Millisecond})
	trials := 6
	if os.Getenv("RLM_LONG") != "" {
		trials = len(events) - 3
	}
	for i := range trials {
		last := events[2+i*(len(events)-3)/trials].Seq
		t.Run(fmt.Sprint("after event ", last), func(t *testing.T) {
			t.Parallel()
			dir := killedAfter(t, r, want.RunID, func(ev trajectory.Event) bool { return ev.Seq == last })
			checkResumed(t, dir, want.RunID, &want, events)
		})
	}
}

// failures describes the failed cells of a run, with moves and restores.
func failures(events []trajectory.Event) (text string) {
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.CellEnded:
			if !d.OK {
				text += fmt.Sprintf("\n%d %q cell %d failed: %s", ev.Seq, ev.Path, d.Cell, d.Result)
			}
		case trajectory.EngineMoved, trajectory.Restored, trajectory.Resumed:
			text += fmt.Sprintf("\n%d %q %T %+v", ev.Seq, ev.Path, d, d)
		}
	}
	return text
}

// checkResumed resumes a run that was killed, and compares it with the undisturbed run, if that is known.
func checkResumed(t *testing.T, dir, id string, want *runner.Result, whole []trajectory.Event) {
	t.Helper()
	model := &moving{}
	r := newRunner(t, model, movingOptions(runner.WithDataDir(dir))...)
	before := eventsOf(t, r, id)
	res, err := runner.Collect(r.Resume(timeout(t), id))
	if err != nil { // the run has not begun, or is over
		require.Regexp(t, "no question yet|is complete", err.Error())
		return
	}
	require.True(t, res.HasAnswer, "%s%s", res.Reason, failures(eventsOf(t, r, id)))
	for key := range paidIn(before) {
		require.Zero(t, model.asked[key], "%+v was paid for", key)
	}
	for key, times := range model.asked {
		require.Equal(t, 1, times, "%+v", key)
	}
	events := eventsOf(t, r, id)
	for _, d := range dataOf[trajectory.Restored](events) {
		require.Empty(t, strings.Join(append(d.Lost, d.Differing...), " "), d.Why)
	}
	for path, moves := range reasons(events) {
		require.Len(t, moves, 1, "%q moves once: %v", path, moves)
	}
	if want == nil {
		for cell, err := range r.Replay(timeout(t), id) {
			require.NoError(t, err)
			require.True(t, cell.Same, "%+v", cell)
		}
		return
	}
	require.Equal(t, want.Answer, res.Answer)
	require.Equal(t, outputs(whole), outputs(events))
}

// A run that is interrupted during its move continues like a killed one.
func TestAnInterruptAtAMove(t *testing.T) {
	t.Parallel()
	needsExact(t)
	dir := t.TempDir()
	r := newRunner(t, &moving{slowest: 20 * time.Millisecond}, movingOptions(runner.WithDataDir(dir))...)
	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	res := runner.Result{}
	for ev, err := range r.Run(ctx, "question", runner.Text("t", "some text")) {
		require.NoError(t, err)
		res.Add(ev)
		if _, ok := ev.Data.(trajectory.EngineMoved); ok {
			cancel()
		}
	}
	require.False(t, res.HasAnswer)
	checkResumed(t, dir, res.RunID, nil, nil)
}

// A move costs no budget, and refunds none.
func TestBudgetsHoldAcrossAMove(t *testing.T) {
	t.Parallel()
	needsExact(t)
	cell := fence(`for i := range 3 { llm_query(fmt.Sprint("first ", i)) }
` + computing + `for i := range 3 { llm_query(fmt.Sprint("second ", i)) }
FINAL(sum)`)
	for limit, want := range map[int64]string{6: "completed", 5: "sub_call_limit"} {
		asked := map[string]int{}
		model := root([]string{cell, fence(`FINAL("what there is")`)}, func(prompt string) (string, error) {
			asked[prompt]++
			return "re", nil
		})
		r := newRunner(t, model, movingOptions(runner.WithBudgets(runner.Budgets{SubCalls: limit}))...)
		res, err := r.Answer(timeout(t), "question")
		require.NoError(t, err)
		require.EqualValues(t, want, res.Status)
		require.EqualValues(t, limit, res.SubCalls)
		require.Len(t, asked, int(limit))
		require.Equal(t, []string{"computed1"}, reasons(eventsOf(t, r, res.RunID))[""])
	}
}

func TestAMovedSessionStaysInTheExactEngine(t *testing.T) {
	t.Parallel()
	needsExact(t)
	r := newRunner(t, &moving{})
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	cell := func(s *runner.Session, source string) sandbox.Result {
		res, err := s.Exec(timeout(t), source)
		require.NoError(t, err)
		return res
	}
	engines := func(s *runner.Session) (out []string) {
		for _, d := range dataOf[trajectory.CellStarted](eventsOf(t, r, s.ID())) {
			out = append(out, d.Engine)
		}
		return out
	}
	cell(s, "x := 1")
	require.Equal(t, "2 exact\n", cell(s, onlyExact).Output)
	require.NoError(t, s.Close())

	opened, err := r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	require.Equal(t, "1 2\n", cell(opened, "fmt.Println(x, len(tree))").Output)
	forked, err := opened.Fork(timeout(t))
	require.NoError(t, err)
	require.Equal(t, "1 2\n", cell(forked, "fmt.Println(x, len(tree))").Output)
	require.Equal(t, []string{"yaegi", "yaegi", "exact", "exact"}, engines(forked))
	var ended []string
	for _, d := range dataOf[trajectory.CellEnded](eventsOf(t, r, forked.ID())) {
		ended = append(ended, d.Engine)
	}
	require.Equal(t, []string{"yaegi", "exact", "exact", "exact"}, ended,
		"a cell that moves ends in the other engine than it began in")
	require.Len(t, dataOf[trajectory.EngineMoved](eventsOf(t, r, forked.ID())), 1)
	require.NoError(t, forked.Close())

	require.NoError(t, opened.Set(runner.WithEngine(repl.Yaegi)))
	require.Equal(t, cellerror.Refused, cell(opened, "type T []T\nvar t T").Error.Kind,
		"the one that is asked for holds")
	require.Equal(t, []string{"yaegi", "yaegi", "exact", "yaegi"}, engines(opened))
	require.NoError(t, opened.Close())
}

// doomedMove is the environment variable that makes this binary a process with one run that moves and will be
// killed.
const doomedMove = "RLM_TEST_DOOMED_MOVE"

func runDoomedMove(dir string) error {
	r, err := runner.New(&moving{slowest: 30 * time.Millisecond}, movingOptions(runner.WithDataDir(dir))...)
	if err != nil {
		return err
	}
	_, err = r.Answer(context.Background(), "question", runner.Text("t", "some text"))
	return err
}

func TestKillsAroundTheMomentOfMoving(t *testing.T) {
	t.Parallel()
	needsExact(t)
	kills := trialCount(t, 4, 30, 300)
	for i := range kills {
		cell := 2 + i%2 // the cell that moves, or the one whose child runs do
		after := time.Duration(rand.Int64N(int64(400 * time.Millisecond)))
		t.Run(fmt.Sprint(i, " in cell ", cell, " after ", after.Round(time.Millisecond)), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), doomedMove+"="+dir)
			cmd.Stderr = os.Stderr
			require.NoError(t, cmd.Start())
			log := waitForCell(t, dir, cell)
			time.Sleep(after)
			_ = cmd.Process.Kill() // the process may have ended
			_ = cmd.Wait()
			checkResumed(t, dir, filepath.Base(log), nil, nil)
		})
	}
}

// waitForCell returns the folder of the only run below dir, once one of its cells has started.
func waitForCell(t *testing.T, dir string, cell int) string {
	t.Helper()
	ctx := timeout(t)
	for ctx.Err() == nil {
		logs, err := filepath.Glob(filepath.Join(dir, "rlm", "runs", "*", "trajectory.jsonl"))
		require.NoError(t, err)
		if len(logs) > 0 {
			text, err := os.ReadFile(logs[0])
			require.NoError(t, err)
			if strings.Contains(string(text), fmt.Sprintf(`"type":"cell_started","data":{"cell":%d,`, cell)) {
				return filepath.Dir(logs[0])
			}
		}
		time.Sleep(time.Millisecond)
	}
	require.Fail(t, "the run did not get there")
	return ""
}
