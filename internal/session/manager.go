// Package session is what every front end stands on: the sessions of a data folder and the table of commands
// that people and programs give. It opens sessions when they are used and gives their workers back when they
// are not, lets one do something at a time and tells the others who, finds out who may, and hands events to
// readers. It knows nothing of HTTP or terminals: what it takes is a Request, what it refuses is an Error.
package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"
	"weak"

	"github.com/gorlm/rlm/internal/kit/admission"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Config configures a Manager.
type Config struct {
	Runner *runner.Runner
	// Model finds one of the Models that can be chosen by its name. NoModel says what to do where there is
	// none.
	Model   func(ctx context.Context, name string) (llm.Model, error)
	Models  []string
	NoModel string
	// Inputs are what new sessions of the owner are over, unless they name others. Folders are what paths may
	// be added from.
	Inputs  []runner.Input
	Folders []string
	Files   []string // that paths may name besides
	Demo    *Demo    // nil: there is none
	// Local says that all who ask are the person who started this process: files, folders, URLs and models are those that the
	// process can reach, and a session may be handed over to another process of that person.
	Local bool
	// AddServer starts an MCP server, and returns what a session is to be set to; nil: nobody may add one.
	AddServer func(ctx context.Context, server string) ([]runner.Option, error)
	// Commands are those of a front end besides the table's.
	Commands []Command

	DataDir string
	// Limits are those of a user. Asked hears what somebody began, for an audit log.
	Limits func(user string) Limits
	Asked  func(who Person, did, session string)
	Log    *slog.Logger // nil: nothing is logged

	// MaxRuns bounds the questions that are answered at once; those beyond it wait their turn. Cells that
	// people run do not count.
	MaxRuns int
	// IdleAfter is how long an unused session keeps its worker.
	IdleAfter time.Duration
	// MaxIdle is how many unused sessions keep theirs; those that were unused longest give them back sooner.
	MaxIdle int
}

// Manager holds the sessions of one data folder.
type Manager struct {
	cfg      Config
	commands map[string]Command
	owners   *owners
	spent    *Ledger
	keys     *Keys
	turn     *admission.Queue
	cells    *cells

	changes changes

	reading sync.Mutex // of one log at a time for a session that is not used yet; before mu

	mu     sync.Mutex
	all    map[string]weak.Pointer[Session] // what is not used is forgotten
	held   map[*Session]struct{}            // that are open, or were asked for since the last sweep
	closed bool

	work sync.WaitGroup // all that runs
	stop chan struct{}
	// unused receives when a session comes to rest: one session more may be open and unused.
	unused chan struct{}
}

// ErrClosing says that the server is shutting down.
var ErrClosing error = &Error{Code: Closing, Message: "the server is shutting down"}

// ErrHandedOver says that another process has taken a session over.
var ErrHandedOver error = &Error{Code: Locked, Message: "another process has taken the session over"}

// ErrRemoved says that a session was deleted.
var ErrRemoved error = &Error{Code: NotFound, Message: "the session was deleted"}

// NewManager makes the sessions of a runner's data folder. Close them, and then their Keys.
func NewManager(cfg Config) (m *Manager, err error) {
	m = NewPrivate(cfg)
	if m.owners, err = openOwners(cfg.DataDir); err == nil {
		m.spent, err = OpenLedger(filepath.Join(cfg.DataDir, "server-spent.json"), time.Now)
	}
	if err == nil {
		m.keys, err = OpenKeys(filepath.Join(cfg.DataDir, "server-keys.jsonl"), time.Now())
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// NewPrivate makes sessions for the owner alone: nothing is kept beside their logs, so there is no sharing,
// and keys count for nothing. Close them.
func NewPrivate(cfg Config) *Manager {
	return newManager(cfg, time.Tick(min(max(cfg.IdleAfter/4, 10*time.Millisecond), 10*time.Second)))
}

func newManager(cfg Config, look <-chan time.Time) *Manager {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Asked == nil {
		cfg.Asked = func(Person, string, string) {}
	}
	m := &Manager{
		cfg: cfg, commands: map[string]Command{}, owners: &owners{}, turn: admission.NewQueue(cfg.MaxRuns), cells: newCells(), changes: changes{watches: map[*watch]struct{}{}},
		all: map[string]weak.Pointer[Session]{}, held: map[*Session]struct{}{}, stop: make(chan struct{}), unused: make(chan struct{}, 1),
	}
	for _, c := range m.Commands() {
		m.commands[c.Name] = c
	}
	m.work.Go(func() { m.sweep(look) })
	return m
}

// Keys are those of requests that must take effect once. Close them when no request is under way.
func (m *Manager) Keys() *Keys { return m.keys }

// Create begins a session over inputs.
func (m *Manager) Create(ctx context.Context, inputs ...runner.Input) (*Session, error) {
	made, err := m.cfg.Runner.NewSession(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	return m.Take(made)
}

// Take takes over an open session, or closes it.
func (m *Manager) Take(made *runner.Session) (*Session, error) {
	l, err := m.add(made.ID(), made.Dir())
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attach(made)
	l.announce()
	return l, nil
}

// known returns a session that is used here.
func (m *Manager) known(id string) (*Session, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.all[id].Value()
	return l, l != nil
}

// Remove deletes a session with all that is recorded of it. If it does something, the error has the code Busy.
func (m *Manager) Remove(l *Session) error {
	if err := l.Busy(); err != nil {
		return err
	}
	if err := l.close(); err != nil {
		return err
	}
	if err := trajectory.Remove(l.dir); err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.all, l.id)
	delete(m.held, l)
	m.mu.Unlock()
	l.feed.fail(ErrRemoved)
	m.changes.note(l.id)
	return nil
}

// Get returns the session with an id, which may be shortened. The error is a *trajectory.NotFoundError if
// there is none.
func (m *Manager) Get(id string) (*Session, error) {
	if l, err := m.take(id); err == nil && l != nil && l.Open() { // without a look at all that there are
		return l, nil
	}
	dir, err := trajectory.Find(m.cfg.Runner.RunsDir(), id)
	if err != nil {
		return nil, err
	}
	return m.add(filepath.Base(dir), dir)
}

func (m *Manager) add(id, dir string) (*Session, error) {
	if l, err := m.take(id); l != nil || err != nil {
		return l, err
	}
	m.reading.Lock() // a long log takes its time, in which the sessions that are used go on
	defer m.reading.Unlock()
	if l, err := m.take(id); l != nil || err != nil { // another has read it meanwhile
		return l, err
	}
	sum, err := trajectory.Summarize(dir)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosing
	}
	l := &Session{id: id, dir: dir, all: m, feed: newBroadcaster(dir, sum.Events)}
	m.all[id], m.held[l] = weak.Make(l), struct{}{}
	return l, nil
}

// take returns a session that is used, and keeps it; nil if it is not.
func (m *Manager) take(id string) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosing
	}
	l := m.all[id].Value()
	if l != nil {
		m.held[l] = struct{}{}
	}
	return l, nil
}

// hold keeps a session that is opened. A sweep lets it go when it is not open any more.
func (m *Manager) hold(l *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[l] = struct{}{}
}

// letGo forgets sessions that are not open, unless somebody else has them.
func (m *Manager) letGo(all []*Session) {
	for _, l := range all {
		l.mu.Lock()
		if l.session == nil {
			m.mu.Lock()
			delete(m.held, l)
			m.mu.Unlock()
		}
		l.mu.Unlock()
	}
}

func (m *Manager) closing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// Begin runs f in a goroutine that Close waits for, unless the server is shutting down.
func (m *Manager) Begin(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.work.Go(f)
	}
	return !m.closed
}

// list returns the sessions that are used, and forgets the others.
func (m *Manager) list() []*Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*Session
	for id, p := range m.all {
		if l := p.Value(); l != nil {
			all = append(all, l)
		} else {
			delete(m.all, id)
		}
	}
	return all
}

// sweep gives the workers of unused sessions back.
func (m *Manager) sweep(look <-chan time.Time) {
	for {
		select {
		case <-look:
			m.look()
		case <-m.unused:
			m.restOldest(m.list())
		case <-m.stop:
			return
		}
	}
}

// rested notes that a session came to rest. Those beyond MaxIdle are closed elsewhere: the caller holds the
// session's mu.
func (m *Manager) rested() {
	select {
	case m.unused <- struct{}{}:
	default: // the look that is due sees this session as well
	}
}

// look closes sessions that are not used, and forgets them.
func (m *Manager) look() {
	all := m.list()
	for _, l := range all {
		l.rest(m.cfg.IdleAfter)
	}
	m.restOldest(all)
	m.letGo(all)
}

// restOldest closes unused sessions beyond those that may stay open.
func (m *Manager) restOldest(all []*Session) {
	idle := map[*Session]time.Time{}
	for _, l := range all {
		if used, ok := l.idleSince(); ok {
			idle[l] = used
		}
	}
	for len(idle) > m.cfg.MaxIdle {
		var oldest *Session
		for l, used := range idle {
			if oldest == nil || used.Before(idle[oldest]) {
				oldest = l
			}
		}
		oldest.rest(0)
		delete(idle, oldest)
	}
}

// Stop stops what runs, and nothing begins any more. Close waits for it.
func (m *Manager) Stop() {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed = true
	close(m.stop)
	m.mu.Unlock()
	for _, l := range m.list() {
		l.stop(host.ErrEnding)
		l.mu.Lock()
		l.endTail()
		l.mu.Unlock()
	}
}

// Close stops what runs, waits until the replies under way are recorded, and closes all sessions.
func (m *Manager) Close() error {
	m.Stop()
	m.work.Wait()
	var errs []error
	for _, l := range m.list() {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}
