package runner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// decidedCells leave open what Go leaves open, but for goroutines that race while they compute.
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

// slowly answers each sub-call after a time of its own, so that replies arrive in another order each time.
type slowly struct {
	script []string

	mu    sync.Mutex
	asked map[string]int
}

func (m *slowly) Name() string { return "slowly" }

func (m *slowly) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	if req.Key.Cell == 0 {
		return llm.Response{Content: m.script[min(req.Key.N, len(m.script)-1)], Model: "slowly", FinishReason: "stop", Attempts: 1}, nil
	}
	prompt := req.Messages[len(req.Messages)-1].Content
	m.mu.Lock()
	m.asked[prompt]++
	m.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(6000)) * time.Microsecond)
	return llm.Response{Content: "re " + prompt, Model: "slowly", FinishReason: "stop", Attempts: 1}, nil
}

func newSlowly() *slowly {
	m := &slowly{asked: map[string]int{}}
	for _, c := range decidedCells {
		m.script = append(m.script, fence(c))
	}
	return m
}

// A run that is killed at any instant goes on with the values that the model saw, and asks for nothing again that was recorded.
func TestKilledRunsKeepTheirValues(t *testing.T) {
	trials := 24
	if os.Getenv("RLM_LONG") != "" {
		trials = 1000
	}
	var r *runner.Runner
	var id string
	var events []trajectory.Event
	for trial := range trials {
		if trial%12 == 0 {
			r = newRunner(t, newSlowly())
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.True(t, res.HasAnswer, res.Reason)
			id, events = res.RunID, eventsOf(t, r, res.RunID)
		}
		last := events[1+rand.IntN(len(events)-2)].Seq
		dir := killedAfter(t, r, id, func(ev trajectory.Event) bool { return ev.Seq == last })
		paid := map[string]int{}
		starts := map[string]string{}
		for _, ev := range events {
			switch d := ev.Data.(type) {
			case trajectory.SubCallStarted:
				starts[fmt.Sprint(d.Cell, d.Hash, d.N)] = d.Prompt.String()
			case trajectory.SubCallEnded:
				if ev.Seq <= last {
					paid[starts[fmt.Sprint(d.Cell, d.Hash, d.N)]]++
				}
			}
		}
		model := newSlowly()
		again := newRunner(t, model, runner.WithDataDir(dir))
		done, err := runner.Collect(again.Resume(timeout(t), id))
		if err != nil {
			require.Regexp(t, "no question yet|is complete", err.Error())
			continue
		}
		require.True(t, done.HasAnswer, "%s at event %d", done.Reason, last)
		for prompt := range paid {
			require.Zero(t, model.asked[prompt], "%q was paid for and is asked again (event %d)", prompt, last)
		}
		for _, ev := range eventsOf(t, again, id) {
			switch d := ev.Data.(type) {
			case trajectory.Restored:
				require.Empty(t, strings.Join(append(d.Lost, d.Differing...), " "), "%s (event %d)", d.Why, last)
			}
		}
	}
}
