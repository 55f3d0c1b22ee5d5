package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// notebook is the sandboxed session behind a run. Its worker starts when the first cell needs it, and a notebook that
// is taken up from a log runs the recorded cells again before that.
type notebook struct {
	cfg     sandbox.Config
	session *sandbox.Session
	past    []sandbox.CellRecord // to run again first
	first   sandbox.Context      // what the first of past saw
	ran     int                  // number of the last cell
	names   map[string]struct{}
	owner   atomic.Pointer[owner] // who answers the calls of the running cell
	restore sandbox.Restore       // what became of past
}

// owner is the run that a cell runs for, and the turn of it.
type owner struct {
	run  *run
	turn int
}

func newNotebook(cfg sandbox.Config) *notebook {
	n := &notebook{cfg: cfg, names: map[string]struct{}{}}
	n.cfg.Call = n.answer
	n.cfg.Print = n.print
	return n
}

// start brings up the worker.
func (n *notebook) start(ctx context.Context) error {
	if n.session != nil {
		return nil
	}
	cfg := n.cfg
	if len(n.past) > 0 && n.first.File != nil {
		cfg.Context, cfg.History = n.first, nil
	}
	s, err := sandbox.New(ctx, cfg)
	if err != nil {
		return fmt.Errorf("starting the notebook: %w", err)
	}
	if len(n.past) > 0 {
		if err := n.bring(ctx, s); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	n.session = s
	return nil
}

// bring runs the recorded cells again and gives the notebook the context of the cells to come.
func (n *notebook) bring(ctx context.Context, s *sandbox.Session) (err error) {
	if n.restore, err = s.Restore(ctx, n.past); err != nil {
		return fmt.Errorf("running the recorded cells again: %w", err)
	}
	n.past = nil
	if err := s.SetContext(ctx, n.cfg.Context, n.cfg.History); err != nil {
		return fmt.Errorf("giving the notebook its context: %w", err)
	}
	return nil
}

// run runs one cell for a run, under the number that the log gave it.
func (n *notebook) run(ctx context.Context, r *run, cell sandbox.Cell) (sandbox.Result, error) {
	if err := n.start(ctx); err != nil {
		return sandbox.Result{}, err
	}
	n.owner.Store(&owner{r, r.turn})
	defer n.owner.Store(nil)
	n.ran = cell.Number
	return n.session.Run(ctx, cell)
}

// answer gives a host call to the run whose cell made it.
func (n *notebook) answer(ctx context.Context, c sandbox.Call) sandbox.Reply {
	o := n.owner.Load()
	if o == nil {
		return sandbox.Reply{Error: "the cell that made this call is over", Unwind: true}
	}
	return o.run.answer(ctx, o.turn, c)
}

func (n *notebook) print(cell int, text []byte) {
	if o := n.owner.Load(); o != nil {
		o.run.printed(o.turn, cell, text)
	}
}

// next is the number of the next cell.
func (n *notebook) next() int { return n.ran + 1 }

// skip counts a cell that is taken from the log.
func (n *notebook) skip(number int) { n.ran = number }

// seed is what a cell's random numbers start from.
func (n *notebook) seed(cell int) int64 { return n.cfg.Seed + int64(cell) }

func (n *notebook) learn(changed []repl.Var) {
	for _, v := range changed {
		n.names[v.Name] = struct{}{}
	}
}

// variables names what the cells have set so far.
func (n *notebook) variables() []string { return slices.Sorted(maps.Keys(n.names)) }

func (n *notebook) close() error {
	if n.session == nil {
		return nil
	}
	err := n.session.Close()
	n.session = nil
	return err
}
