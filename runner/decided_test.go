package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// decidedCells use what Go leaves undefined, except races of computing goroutines.
var decidedCells = []string{
	`counts := map[string]int{}
for i := range 40 { counts[fmt.Sprint("word", i%17)] += i }
var items []string
for k, v := range counts { items = append(items, fmt.Sprint(k, "=", v)) }
first := llm_query("about " + items[0])
var asked []string
for k := range maps.Keys(counts) { asked = append(asked, "key "+k) }
rs := llm_query_batched(asked[:5])`,
	`var mu sync.Mutex
var wg sync.WaitGroup
var order []string
for i := range 12 { wg.Go(func() { r := llm_query(fmt.Sprint("part ", i)); mu.Lock(); defer mu.Unlock(); order = append(order, r) }) }
wg.Wait()`,
	`winner := make(chan string, 3)
for i := range 3 { go func() { winner <- llm_query(fmt.Sprint("race ", i)) }() }
won := <-winner
second := <-winner
third := <-winner`,
	`at := time.Now()
dated := llm_query("what happened at " + at.Format(time.RFC3339Nano))
took := time.Since(at)
again := llm_query(fmt.Sprint("it took ", took))`,
	`reply := make(chan string, 1)
go func() { reply <- llm_query("slow or not") }()
got := ""
select {
case got = <-reply:
case <-time.After(3 * time.Millisecond):
	got = "late"
}
ticks := 0
for range time.Tick(time.Millisecond) { if ticks++; ticks == 3 { break } }
follow := llm_query(fmt.Sprint("after ", got, " ", ticks))`,
	`a, b := make(chan int, 30), make(chan int, 30)
for i := range 30 { a <- i; b <- i }
chosen := ""
for range 30 { select { case <-a: chosen += "a"; case <-b: chosen += "b" } }
dice := rand.Intn(1_000_000)
next := llm_query(fmt.Sprint("dice ", dice, " ", chosen))
var chained []string
for k := range counts { chained = append(chained, llm_query(fmt.Sprint(k, " after ", len(chained)))); if len(chained) == 3 { break } }`,
	`FINAL(fmt.Sprint(items, first, rs, order, won, second, third, at.UnixNano(), dated, took, again, got, follow, chosen, dice, next, chained))`,
}

// slowly answers each sub-call after a different delay, so that replies arrive in another order each time.
type slowly struct {
	script []string

	mu    sync.Mutex
	asked map[string]int
}

func (m *slowly) Name() string { return "slowly" }

func (m *slowly) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	if req.Key.Cell == 0 {
		return llm.Response{
			Content: m.script[min(req.Key.N, len(m.script)-1)], Model: "slowly", FinishReason: "stop",
			Attempts: 1,
		}, nil
	}
	prompt := req.Messages[len(req.Messages)-1].Content
	m.mu.Lock()
	m.asked[prompt]++
	m.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(6000)) * time.Microsecond)
	return llm.Response{Content: "re " + prompt, Model: "slowly", FinishReason: "stop", Attempts: 1}, nil
}

func newSlowly(script []string) *slowly {
	m := &slowly{asked: map[string]int{}}
	for _, c := range script {
		m.script = append(m.script, fence(c))
	}
	return m
}

// cut is a run that looks as if it had been killed at a random moment.
type cut struct {
	id   string
	last int64  // number of the last event in the log
	dir  string // the data folder
	past []trajectory.Event
	all  []trajectory.Event // all events of the run, which was not really killed
}

// cuts passes runs of a script to try, each as if it had been killed at a random moment, trials times in all. Each
// run is used twelve times.
func cuts(t *testing.T, trials int, script []string, try func(cut)) {
	var r *runner.Runner
	var c cut
	for trial := range trials {
		if trial%12 == 0 {
			r = newRunner(t, newSlowly(script), locked)
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.True(t, res.HasAnswer, res.Reason)
			c = cut{id: res.RunID, all: eventsOf(t, r, res.RunID)}
		}
		c.last = c.all[1+rand.IntN(len(c.all)-2)].Seq
		c.dir = killedAfter(t, r, c.id, func(ev trajectory.Event) bool { return ev.Seq == c.last })
		c.past = c.all[:slices.IndexFunc(c.all, func(ev trajectory.Event) bool { return ev.Seq == c.last })+1]
		try(c)
	}
}

// resume continues the run, and requires that no recorded call is made again. ok is false if there was nothing to
// resume.
func (c cut) resume(t *testing.T, script []string) (done runner.Result, events []trajectory.Event, ok bool) {
	t.Helper()
	model := newSlowly(script)
	again := newRunner(t, model, locked, runner.WithDataDir(c.dir))
	done, err := runner.Collect(again.Resume(timeout(t), c.id))
	if err != nil {
		require.Regexp(t, "no question yet|is complete", err.Error())
		return done, nil, false
	}
	require.True(t, done.HasAnswer, "%s at event %d", done.Reason, c.last)
	prompts := map[string]string{}
	for _, ev := range c.past {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			prompts[fmt.Sprint(d.Cell, d.Hash, d.N)] = d.Prompt.String()
		case trajectory.SubCallEnded:
			prompt := prompts[fmt.Sprint(d.Cell, d.Hash, d.N)]
			require.Zero(t, model.asked[prompt], "%q was paid for and is asked again (event %d)", prompt, c.last)
		}
	}
	return done, eventsOf(t, again, c.id), true
}

// trialCount returns the number of random moments that a test tries: few, more with RLM_LONG=1, and the full number
// with RLM_SOAK=1.
func trialCount(t *testing.T, few, more, all int) int {
	t.Helper()
	switch {
	case os.Getenv("RLM_SOAK") != "":
		return all
	case os.Getenv("RLM_LONG") != "":
		return more
	}
	t.Logf("%d random instants only; RLM_LONG=1 for %d, RLM_SOAK=1 for %d", few, more, all)
	return few
}

// A run that is killed at any moment continues with the values that the model saw, and repeats no recorded call.
func TestKilledRunsKeepTheirValues(t *testing.T) {
	t.Parallel()
	cuts(t, trialCount(t, 24, 100, 1000), decidedCells, func(c cut) {
		_, events, _ := c.resume(t, decidedCells)
		for _, d := range dataOf[trajectory.Restored](events) {
			require.Empty(t, strings.Join(append(d.Lost, d.Differing...), " "), "%s (event %d)", d.Why, c.last)
		}
	})
}

// racingCells depend on what Go leaves undefined: goroutines that compute concurrently and then meet at a lock, a
// channel or a timer. Cells whose variables begin with "steady" do not depend on that.
var racingCells = []string{
	`steadyCounts := map[string]int{}
for i := range 40 { steadyCounts[fmt.Sprint("word", i%17)] += i }
steadyItems := []string{}
for k := range steadyCounts { steadyItems = append(steadyItems, k) }
steadyFirst := llm_query_batched([]string{"about " + steadyItems[0], "about " + steadyItems[1]})
spin := func(n int) int { s := 0; for j := range n { s += j % 7 }; return s }`,
	`order, shared := []int{}, 0
func() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 6 { wg.Go(func() { spin(2000 + rand.Intn(2000)); mu.Lock(); defer mu.Unlock(); order = append(order, i); shared = shared*7 + i }) }
	wg.Wait()
}()
raced := llm_query(fmt.Sprint("order ", order))
behind := llm_query("behind the race")`,
	`seen := map[string]string{}
func() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	count := 0
	for i := range 4 { wg.Go(func() {
		spin(3000)
		mu.Lock()
		count++
		n := count
		mu.Unlock()
		r := llm_query(fmt.Sprint("worker ", i, " came ", n))
		mu.Lock()
		defer mu.Unlock()
		seen[fmt.Sprint(i)] = r
	}) }
	wg.Wait()
}()`,
	`steadyAt := time.Now().UnixNano()
steadyDice := rand.Intn(1_000_000)
steadyOrder := []string{}
func() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 5 { wg.Go(func() { r := llm_query(fmt.Sprint("steady ", i, steadyDice)); mu.Lock(); defer mu.Unlock(); steadyOrder = append(steadyOrder, r) }) }
	wg.Wait()
}()`,
	`how := ""
func() {
	done := make(chan string, 2)
	go func() { spin(20_000); done <- "computed" }()
	time.AfterFunc(time.Millisecond, func() { done <- "timer" })
	how = <-done
}()
chosen := llm_query("how " + how)
ticks := 0
func() { go spin(10_000); for range time.Tick(time.Millisecond) { if ticks++; ticks == 3 { break } } }()`,
	`results := make(chan int, 8)
for i := range 8 { go func() { spin(1000 + 200*rand.Intn(5)); results <- i }() }
arrived := []int{}
for range 8 { arrived = append(arrived, <-results) }
follow := []string{}
for _, i := range arrived[:3] { follow = append(follow, llm_query(fmt.Sprint("arrived ", i, " behind ", len(follow)))) }
derived := fmt.Sprint(len(raced), len(seen), how, order)`,
	`steadyEnd := llm_query("the end of " + steadyItems[2])`,
	`FINAL(SHOW_VARS())`,
}

// shown parses the table of SHOW_VARS into rows by name, without the column of cells.
func shown(table string) map[string]string {
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 2 {
			rows[f[0]] = strings.Join(f[1:len(f)-1], " ")
		}
	}
	return rows
}

// If goroutines race while they compute, a resumed run continues with the values that the model saw or names those
// that differ. It repeats no recorded call.
func TestKilledRunsNameWhatRaced(t *testing.T) {
	t.Parallel()
	trials, told, silent := 0, 0, 0
	cuts(t, trialCount(t, 8, 40, 1000), racingCells, func(c cut) {
		var before map[string]string
		for _, ev := range c.all {
			if d, ok := ev.Data.(trajectory.RunEnded); ok {
				before = shown(d.Answer)
			}
		}
		require.Greater(t, len(before), 15)
		done, events, ok := c.resume(t, racingCells)
		if !ok {
			return
		}
		trials++
		now := shown(done.Answer)
		named := map[string]bool{}
		for _, d := range dataOf[trajectory.Restored](events) {
			for _, name := range append(d.Lost, d.Differing...) {
				named[name] = true
				require.False(t, strings.HasPrefix(name, "steady"), "%s does not depend on a race: %s (event %d)", name,
					d.Why, c.last)
			}
		}
		// On a slow machine the first run's notebook moves to the other engine, so its last values may differ from
		// those at the cut.
		moved := map[string]bool{}
		for _, d := range dataOf[trajectory.Restored](c.all) {
			for _, name := range append(d.Lost, d.Differing...) {
				moved[name] = true
			}
		}
		for _, d := range dataOf[trajectory.CellEnded](c.past) {
			var res struct{ Changed []struct{ Name string } }
			require.NoError(t, json.Unmarshal(d.Result, &res))
			for _, v := range res.Changed {
				if now[v.Name] != before[v.Name] && !moved[v.Name] {
					require.True(t, named[v.Name], "%s was %q and is %q, and nobody is told (cell %d, event %d)",
						v.Name, before[v.Name], now[v.Name], d.Cell, c.last)
				}
			}
		}
		if len(named) > 0 {
			told++
		} else {
			silent++
		}
	})
	t.Logf("of %d runs %d went on with all values, %d named others", trials, silent, told)
}
