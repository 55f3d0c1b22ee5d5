package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Session is a notebook with state in a worker process. One cell runs at a time; its methods may be called from
// several goroutines and wait for each other.
type Session struct {
	cfg      Config
	limits   Limits
	patience patience.Times
	workers  *Workers
	owned    bool // workers was made for this session alone
	level    Level
	why      []string

	mu      sync.Mutex
	closed  bool
	engine  repl.Engine
	auto    bool     // may move from yaegi to the exact engine
	stays   bool     // stays in yaegi, because the exact engine lost variables of earlier cells
	died    int      // workers that an earlier cell killed during a move
	worker  *process // nil after a death, until the session is revived
	kept    *process // the old worker, with the session's state, while another engine is tried
	next    int      // number of the next cell
	records []CellRecord
	first   textState // context of the first cell
	text    textState // context of the next cell
	changed bool      // text changed since the last recorded cell
	replays int       // replacements since the session or its last BeginRun began
	deaths  int       // workers that died since a cell last ran to its end
	views   []Context // every context that the session has had, by version
	marks   markTable
	revived *Restore // a replacement of the worker that no result has reported yet

	handlers sync.WaitGroup // host calls that are still running
}

// textState is what cells see as context, docs and history.
type textState struct {
	context Context
	history []string
	version int // version of the context
}

// New starts a session. It fails if the level is unavailable.
func New(ctx context.Context, cfg Config) (*Session, error) {
	s := &Session{
		cfg:      cfg,
		limits:   cfg.Limits.WithDefaults(),
		patience: patience.Of(ctx),
		workers:  cfg.Workers,
		next:     1,
	}
	s.marks.add(cfg.Marks...)
	s.marks.told = len(cfg.Marks)
	s.text = s.state(cfg.Context, cfg.History)
	if err := cfg.Context.check(); err != nil {
		return nil, err
	}
	handOver(ctx)
	s.first = s.text
	if s.engine = cfg.Engine; s.engine == "" || s.engine == Auto {
		s.engine, s.auto = repl.Yaegi, slices.Contains(repl.Available(), repl.Exact)
	}
	if s.cfg.Level == "" {
		s.cfg.Level = Best
	}
	if s.workers == nil {
		s.workers, s.owned = NewWorkers(0, 0), true
	}
	p, err := s.start(ctx)
	if err == nil || ctx.Err() == nil {
		s.workers.starter.learn(s.cfg.Level, p)
	}
	if err != nil {
		if s.owned {
			err = errors.Join(err, s.workers.Close())
		}
		return nil, err
	}
	s.worker, s.level, s.why = p, p.level, p.layers.Why
	s.rest()
	return s, nil
}

// start acquires a worker and gives it the session's notebook, with the context of the first cell. If the worker
// was a spare that died while it waited, it tries another one.
func (s *Session) start(ctx context.Context) (*process, error) {
	for {
		p, err := s.workers.acquire(ctx, s.cfg.Level)
		if err != nil {
			return nil, err
		}
		err = s.initialise(ctx, p)
		if err == nil {
			return p, nil
		}
		if !p.waited || ctx.Err() != nil {
			return nil, err
		}
	}
}

// initialise gives a worker the session's notebook.
func (s *Session) initialise(ctx context.Context, p *process) error {
	p.gate.configure(s.limits, s.workers.roomAt(s.workers.leaseOf(p).depth()))
	meta := wire.InitMeta{Bounds: s.limits.bounds(), Text: s.first.wire(), Builtins: s.cfg.Builtins, Engine: s.engine}
	if err := p.initialise(ctx, meta, s.limits, s.first.context); err != nil {
		s.workers.release(p)
		return fmt.Errorf("start a notebook: %w", err)
	}
	if s.workers.leaseOf(p).parent != nil || s.workers.starter.likely() { // a child run is rarely the only one
		s.workers.warm(p.how)
	}
	return nil
}

// SetContext replaces the context and history for later cells; values that point into the old context stay valid.
func (s *Session) SetContext(ctx context.Context, c Context, history []string) error {
	if err := c.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	next := s.state(c, history)
	err := s.withWorker(ctx, func(p *process) error { return p.setContext(ctx, next) })
	if err != nil {
		return err
	}
	s.text, s.changed = next, true
	return nil
}

// Vars lists the session's variables.
func (s *Session) Vars(ctx context.Context) ([]repl.Var, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	var meta wire.VarsMeta
	err := s.withWorker(ctx, func(p *process) error {
		f, err := p.ask(ctx, wire.Header{Op: wire.Vars}, nil, wire.Vars)
		if err != nil {
			return err
		}
		return p.decode(f, &meta)
	})
	if err != nil {
		return nil, fmt.Errorf("list the variables: %w", err)
	}
	return named(wire.TrimVars(meta.Vars)), nil
}

// maxOperand bounds the operand of Members in bytes.
const maxOperand = 1000

// Members lists what may follow an operand and a dot in the next cell; see repl.Notebook.Members.
func (s *Session) Members(ctx context.Context, operand string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	var meta wire.MembersMeta
	err := s.withWorker(ctx, func(p *process) error {
		f, err := p.ask(ctx, wire.Header{Op: wire.Members}, wire.MembersMeta{Of: wire.Short(operand, maxOperand)},
			wire.Members)
		if err != nil {
			return err
		}
		return p.decode(f, &meta)
	})
	if err != nil {
		return nil, fmt.Errorf("list the members of %s: %w", operand, err)
	}
	return wire.TrimMembers(meta.Names), nil
}

// withWorker calls do with the worker between cells, and once more if the worker turns out to be dead.
func (s *Session) withWorker(ctx context.Context, do func(p *process) error) error {
	for second := false; ; second = true {
		if err := s.usable(ctx); err != nil {
			return err
		}
		err := do(s.worker)
		if err == nil || second || ctx.Err() != nil || s.worker.alive() {
			return err
		}
	}
}

// usable ensures that there is a worker with the session's state.
func (s *Session) usable(ctx context.Context) error {
	if s.closed {
		return errors.New("the session is closed")
	}
	if s.worker != nil && s.worker.alive() {
		s.worker.thaw()
		return nil
	}
	why := ""
	if s.worker != nil {
		why = "the worker died between two cells: " + s.worker.epitaph()
		s.discard()
	}
	r, err := s.revive(ctx)
	if err != nil {
		return err
	}
	if r.Why == "" {
		r.Why = why
	}
	r = r.after(s.revived)
	s.revived = &r
	return nil
}

// rest freezes the worker until the session is used again. The worker cannot prevent that, so whatever a cell left
// behind (goroutines, timers) uses neither time nor more memory between cells.
func (s *Session) rest() {
	if s.worker != nil {
		s.worker.freeze()
	}
}

// Forget undoes the last cell, if that is its number: its variables are gone, and the next cell starts with the
// state before the cell.
func (s *Session) Forget(cell int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.records) - 1; last >= 0 && s.records[last].Cell == cell {
		s.drop(last)
		s.discard()
	}
}

// discard ends the worker.
func (s *Session) discard() {
	if s.worker != nil {
		s.workers.release(s.worker)
		s.worker = nil
	}
}

// Level returns the level that was measured in the worker.
func (s *Session) Level() Level { return s.level }

// Missing explains, layer by layer, why the level is not higher. It is empty at level Strict.
func (s *Session) Missing() []string { return s.why }

// BeginRun starts a new question: Limits.Replays counts from here.
func (s *Session) BeginRun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replays = 0
}

// Close ends the worker and waits for host calls that still run. It may be called twice.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.discard()
	s.handlers.Wait()
	if s.owned {
		return s.workers.Close()
	}
	return nil
}
