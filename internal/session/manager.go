// Package session is the base of every front end: it has the sessions of a data folder and the table of commands
// for people and programs. It opens sessions when they are used and releases their workers when they are not, runs
// one task of a session at a time, checks permissions, and sends events to readers. It is independent of HTTP and
// terminals: it takes a Request and refuses it with an Error.
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
	// Model returns the model with a name. Models are the names to choose from. NoModel is the message for people
	// if there is no default model, otherwise empty.
	Model   func(ctx context.Context, name string) (llm.Model, error)
	Models  []string
	NoModel string
	// Inputs are the default inputs of the owner's new sessions. Clients may add paths below Folders.
	Inputs  []runner.Input
	Folders []string
	Files   []string // further files that clients may add
	Demo    *Demo    // nil: there is none
	// Local means that every client is the person who started this process. Clients may use all files, URLs and
	// models that the process can reach, and move a session to another process.
	Local bool
	// AddServer starts an MCP server and returns the options for the session; nil: servers cannot be added.
	AddServer func(ctx context.Context, server string) ([]runner.Option, error)
	// Commands are the front end's commands besides those of the table.
	Commands []Command

	DataDir string
	// Limits returns the limits of a user, and Stored the bytes of a person's files outside of sessions. Asked is
	// called for each task that begins, for an audit log.
	Limits func(user string) Limits
	Stored func(Person) int64
	Asked  func(who Person, did, session string)
	Log    *slog.Logger // nil: nothing is logged

	// MaxRuns bounds the questions that are answered at the same time; others wait their turn. People's cells
	// do not count.
	MaxRuns int
	// IdleAfter is how long an unused session keeps its worker.
	IdleAfter time.Duration
	// MaxIdle bounds the unused sessions with a worker. If there are more, those unused the longest are closed.
	MaxIdle int
}

// Manager manages the sessions of one data folder.
type Manager struct {
	cfg      Config
	commands map[string]Command
	owners   *owners
	spent    *Ledger
	keys     *Keys
	turn     *admission.Queue
	cells    *cells

	changes  changes
	arriving arrivals

	reading sync.Mutex // held while the log of a session that is not in use is read; locked before mu

	mu     sync.Mutex
	all    map[string]weak.Pointer[Session] // unused sessions are garbage collected
	held   map[*Session]struct{}            // those open, or requested since the last sweep
	closed bool

	work sync.WaitGroup // goroutines that Close waits for
	stop chan struct{}
	// unused receives a value when a session becomes idle, because there may now be one idle session too many.
	unused chan struct{}
}

// ErrClosing means that the server is shutting down.
var ErrClosing error = &Error{Code: Closing, Message: "the server is shutting down"}

// ErrHandedOver means that another process has taken a session over.
var ErrHandedOver error = &Error{Code: Locked, Message: "another process has taken over the session"}

// ErrRemoved means that a session was deleted.
var ErrRemoved error = &Error{Code: NotFound, Message: "the session was deleted"}

// NewManager makes the manager of a runner's data folder. Close it, and then its Keys.
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

// NewPrivate makes a manager for the owner alone. It stores nothing besides the logs, so sessions cannot be shared
// and idempotency keys are ignored. Close it.
func NewPrivate(cfg Config) *Manager {
	return newManager(cfg, time.Tick(min(max(cfg.IdleAfter/4, 10*time.Millisecond), 10*time.Second)))
}

func newManager(cfg Config, look <-chan time.Time) *Manager {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Asked == nil {
		cfg.Asked = func(Person, string, string) {}
	}
	m := &Manager{
		cfg: cfg, commands: map[string]Command{}, owners: &owners{}, turn: admission.NewQueue(cfg.MaxRuns),
		cells: newCells(), changes: changes{watches: map[*watch]struct{}{}},
		arriving: arrivals{of: map[string]int64{}},
		all:      map[string]weak.Pointer[Session]{}, held: map[*Session]struct{}{}, stop: make(chan struct{}),
		unused: make(chan struct{}, 1),
	}
	for _, c := range m.Commands() {
		m.commands[c.Name] = c
	}
	m.work.Go(func() { m.sweep(look) })
	return m
}

// Keys returns the idempotency keys. Close them once no request is in progress.
func (m *Manager) Keys() *Keys { return m.keys }

// Create makes a session over inputs.
func (m *Manager) Create(ctx context.Context, inputs ...runner.Input) (*Session, error) {
	made, err := m.cfg.Runner.NewSession(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	return m.Take(made)
}

// Take adds an open session to the manager. After an error the session is closed.
func (m *Manager) Take(made *runner.Session) (*Session, error) {
	l, err := m.insert(made.ID(), made.Dir(), 0) // attach asks how many events it has
	if err != nil {
		return nil, errors.Join(err, made.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attach(made)
	l.announce()
	return l, nil
}

// known returns the session with an id if it is in use here.
func (m *Manager) known(id string) (*Session, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.all[id].Value()
	return l, l != nil
}

// Remove deletes a session and all its records. If the session is busy, the error has the code Busy.
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

// Get returns the session with an id, which may be shortened. The error is a *trajectory.NotFoundError if there
// is none.
func (m *Manager) Get(id string) (*Session, error) {
	if l, err := m.take(id); err == nil && l != nil && l.Open() { // avoids listing the folder
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
	m.reading.Lock() // not mu: reading a long log takes time, and sessions in use must continue
	defer m.reading.Unlock()
	if l, err := m.take(id); l != nil || err != nil { // another caller has read it meanwhile
		return l, err
	}
	sum, err := trajectory.Summarize(dir)
	if err != nil {
		return nil, err
	}
	return m.insert(id, dir, sum.Events)
}

// insert adds a session whose log has a number of events, unless it is in use, and holds it until the next sweep.
func (m *Manager) insert(id, dir string, events int64) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosing
	}
	l := m.all[id].Value()
	if l == nil {
		l = &Session{id: id, dir: dir, all: m, feed: newBroadcaster(dir, events)}
		m.all[id] = weak.Make(l)
	}
	m.held[l] = struct{}{}
	return l, nil
}

// take returns the session with an id, and holds it until the next sweep; nil if it is not in use.
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

// hold prevents an opened session from being garbage collected. A sweep undoes this once the session is closed.
func (m *Manager) hold(l *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[l] = struct{}{}
}

// letGo undoes hold for sessions that are not open. They remain while something else refers to them.
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

// list returns the sessions in use, and deletes the entries of the others.
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

// sweep closes unused sessions until the manager stops.
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

// rested notes that a session became idle. It leaves closing sessions beyond MaxIdle to sweep, because its caller
// holds the session's mu.
func (m *Manager) rested() {
	select {
	case m.unused <- struct{}{}:
	default: // a pending value covers this session too
	}
}

// look closes sessions that were unused for IdleAfter, and those beyond MaxIdle.
func (m *Manager) look() {
	all := m.list()
	for _, l := range all {
		l.rest(m.cfg.IdleAfter)
	}
	m.restOldest(all)
	m.letGo(all)
}

// restOldest closes the longest unused sessions beyond MaxIdle.
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

// Stop stops all tasks and prevents new ones. Close waits for them.
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

// Close stops all tasks, waits until the replies in progress are recorded, and closes all sessions.
func (m *Manager) Close() error {
	m.Stop()
	m.work.Wait()
	var errs []error
	for _, l := range m.list() {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}
