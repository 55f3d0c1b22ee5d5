package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
	"github.com/gorlm/rlm/termination"
)

// refusedByYaegi is a cell that makes a notebook move.
const refusedByYaegi = "type Tree []Tree\nt := Tree{nil, {}}\nlen(t)"

// A hostile worker waits as a spare, and is then used to replace a dead worker; another one, for a move. In whichever
// phase they attack their host, the notebook continues; after a move it has the same state.
func TestAHostMeetsHostileWorkersInEveryPhase(t *testing.T) {
	var phases []string
	for _, phase := range hostile.Phases {
		phases = append(phases, string(phase))
	}
	ownhost.Each(t, slices.Values(phases), func(t *testing.T, phase string) {
		before := goleak.IgnoreCurrent()
		waits := patience.Default()
		waits.Reply, waits.End, waits.Read = 100*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
		for _, acts := range []map[string]hostile.Act{hostile.Rules, hostile.Lies, hostile.Native, hostile.Large} {
			for i, act := range slices.Sorted(maps.Keys(acts)) {
				if os.Getenv("RLM_LONG") == "" && (i+slices.Index(phases, phase))%len(phases) != 0 {
					continue // without RLM_LONG each act is tried in one phase only
				}
				t.Run(act, func(t *testing.T) {
					name, phase := hostile.Name(act, hostile.Phase(phase)), hostile.Phase(phase)
					n := newNotebook(t, patience.With(t.Context(), waits))
					if phase != hostile.Moving && phase != hostile.Moved {
						n.dieBefore(name)
					}
					n.moveTo(name)
				})
			}
		}
		goleak.VerifyNone(t, before)
	})
}

// notebook is a session with a variable, in a pool with a hostile spare.
type notebook struct {
	*Session
	t     *testing.T
	ctx   context.Context
	spare *process
}

func newNotebook(t *testing.T, ctx context.Context, opts ...func(*Config)) *notebook {
	t.Helper()
	cfg := Config{
		Level: Basic, Engine: Auto, Builtins: builtins.Standard(termination.Response),
		Limits: Limits{CellTime: 2 * time.Second, ReplayTime: 2 * time.Second},
		Call:   func(context.Context, Call) Reply { return Reply{} },
	}
	for _, opt := range opts {
		opt(&cfg)
	}
	s, err := New(ctx, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	n := &notebook{s, t, ctx, nil}
	require.Equal(t, "1", n.run("x := 1\nx").Value)
	return n
}

// plant makes a hostile worker the spare.
func (n *notebook) plant(name string) {
	n.t.Helper()
	st := n.workers.starter
	var err error
	if n.spare, err = tryHostile(n.t, st, open, name); err != nil {
		require.Regexp(n.t, "broke the rules of its host|ended before it was ready|the worker died", err.Error())
		return // the notebook continues without the hostile spare
	}
	next := &spareWorker{
		how: open, stop: func() {}, done: make(chan struct{}), p: n.spare,
		expiry: time.AfterFunc(time.Hour, func() {}),
	}
	close(next.done)
	st.mu.Lock()
	defer st.mu.Unlock()
	require.Nil(n.t, st.spare)
	st.spare = next
	st.users++
	st.ending.Add(1)
}

// most sets how many workers may run. With one there is no honest spare.
func (n *notebook) most(workers int) {
	n.workers.mu.Lock()
	defer n.workers.mu.Unlock()
	n.workers.max = workers
}

func (n *notebook) run(source string) Result {
	n.t.Helper()
	res, err := n.Run(n.ctx, Cell{Source: source})
	require.NoError(n.t, err)
	for _, text := range append(res.Notes, res.Restore.why()) {
		require.NotContains(n.t, text, "\x1b")
	}
	if res.Error != nil {
		require.NotEmpty(n.t, res.Error.Message)
	}
	return res
}

// why returns the reason of a Restore, "" if that is nil.
func (r *Restore) why() string {
	if r == nil {
		return ""
	}
	return r.message()
}

// endSpare ends the hostile worker if the session uses it, which it does if the worker has followed the rules.
func (n *notebook) endSpare() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.spare != nil && n.worker == n.spare {
		n.worker.kill(&cause{what: causeClosed})
	}
}

// spareWaits reports whether no cell has needed the hostile worker so far.
func (n *notebook) spareWaits() bool {
	st := n.workers.starter
	st.mu.Lock()
	defer st.mu.Unlock()
	return n.spare != nil && st.spare != nil && st.spare.p == n.spare
}

// moveTo makes the notebook move to a hostile worker.
func (n *notebook) moveTo(name string) {
	n.plant(name)
	n.most(defaultWorkers)
	n.run(refusedByYaegi)
	n.endSpare()
	n.most(1)
	require.Equal(n.t, "1", n.run("x").Value)
	require.Equal(n.t, "3", n.run("x + 2").Value)
	if res := n.run(refusedByYaegi); res.Error != nil {
		require.Equal(n.t, cellerror.Refused, res.Error.Kind, res.Error.Message)
	}
}

// dieBefore makes a hostile worker replace a dead one.
func (n *notebook) dieBefore(name string) {
	n.plant(name)
	n.most(1)
	n.worker.kill(&cause{what: causeClosed})
	n.run("y := 2") // x and y may be lost: a cell that kills its worker does not run again
	n.endSpare()
	n.run("z := 3")
	require.Equal(n.t, "5", n.run("2 + 3").Value)
	n.BeginRun()
	require.Equal(n.t, "1", n.run("x := 1\nx").Value)
}

// If a worker dies while a notebook moves to it, the notebook loses nothing: it stays in yaegi, or is already in
// the exact engine, and the next cell that needs the exact engine gets it.
func TestAWorkerThatDiesInTheMiddleOfAMove(t *testing.T) {
	const sum = "2999997"
	const computes = "sum := 0\nfor i := 0; i < 1_000_000; i++ { sum += i % 7 }\nsum" // far longer than MoveAfter
	acts := []string{"exits", "hangs up"}
	for i, phase := range hostile.Phases {
		for cell, source := range map[string]string{"refused": refusedByYaegi, "computes": computes} {
			for _, most := range []int{1, 4} { // maximum of workers: 1 leaves no room for the old one
				for j, act := range acts {
					if os.Getenv("RLM_LONG") == "" && (i+j+most/4)%2 != 0 {
						continue
					}
					t.Run(fmt.Sprintf("%s, %s, %s, one of %d", act, phase, cell, most), func(t *testing.T) {
						t.Parallel()
						workers := NewWorkers(most, 0)
						t.Cleanup(func() { require.NoError(t, workers.Close()) })
						n := newNotebook(t, t.Context(), func(cfg *Config) {
							cfg.Workers = workers
							cfg.Limits = Limits{MoveAfter: time.Minute, CellTime: time.Minute, ReplayTime: time.Minute}
						})
						n.plant(hostile.Name(act, phase))
						n.limits.MoveAfter = 10 * time.Millisecond // set only now, or the session would start a spare
						res := n.run(source)
						for n.spareWaits() { // a busy machine saw too late that the cell computes
							res = n.run(source)
						}
						if res.Error == nil {
							require.Equal(t, map[string]string{"refused": "2", "computes": sum}[cell], res.Value)
						} else if res.Error.Kind != cellerror.Refused {
							require.Equal(t, hostile.Moved, phase, "the cell ran in the exact engine: %s",
								res.Error.Message)
						}
						n.limits.MoveAfter = time.Minute // the next cells move only if they must, however slow they are
						require.Equal(t, "1", n.run("x").Value)
						res = n.run(refusedByYaegi)
						require.Equal(t, "2", res.Value, "the move is tried once more: %v", res.Error)
						require.Equal(t, repl.Exact, n.engine)
						require.Equal(t, "3", n.run("x + 2").Value)
					})
				}
			}
		}
	}
}

// A notebook stays in yaegi for good if its earlier cells take another way in the exact engine, or if two workers
// died of them.
func TestANotebookThatCannotMoveSettles(t *testing.T) {
	strays, dies := &Session{}, &Session{}
	require.False(t, strays.settles(Restore{}), "the cell itself was the reason")
	require.True(t, strays.settles(Restore{strayed: true}))
	died := Restore{broken: true, died: true}
	require.False(t, dies.settles(died))
	require.True(t, dies.settles(died))
}
