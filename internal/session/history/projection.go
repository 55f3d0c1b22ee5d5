// Package history computes views of a session from its log: pages of sub-calls, spans over time, usage, and the
// prompts of its model. It reads each part of a log once.
package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Projection aggregates the events of one log. It is safe for concurrent use.
type Projection struct {
	mu       sync.Mutex
	reader   *trajectory.Reader
	version  int64 // grows with every change of a tally
	cells    map[cellKey]*cell
	open     map[trajectory.CallKey]*call // sub-calls without a reply
	childOf  map[string]*call             // by the path of the child run
	spent    Usage
	run      int                  // number of the last question
	ends     map[string]time.Time // when the last question's runs ended, by path
	recent   time.Time            // when the log was last read for Recent
	spans    spans
	requests requests
}

// cellKey names a cell of a run of the tree.
type cellKey struct {
	path string
	cell int
}

// cell collects the sub-calls of a cell.
type cell struct {
	run   int // number of the question during or after which it ran
	tally Tally
	calls []*call
	sizes map[int]int // sizes of its batches, by batch
	ended bool
	at    int64 // version of its last change
	span  *Span
}

// Tally is the progress of a cell's sub-calls.
type Tally struct {
	Cell     int       `json:"cell"`
	Path     string    `json:"path"`
	Total    int       `json:"total"` // number of calls known so far
	Started  int       `json:"started"`
	Ended    int       `json:"ended"`
	Failed   int       `json:"failed"`
	Cached   int       `json:"cached"`
	Tokens   int64     `json:"tokens"` // including child runs, like Cost
	Cost     *float64  `json:"cost"`   // nil if unknown
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Children int       `json:"children"`

	// Running is the number of running sub-calls. Only Calls sets it.
	Running int `json:"-"`

	paid trajectory.Cost
}

// Usage is what the last question has used so far.
type Usage struct {
	Run      int            `json:"run"`
	Turns    int            `json:"turns"`
	Limit    int            `json:"limit"` // maximum number of turns; 0: none
	SubCalls int            `json:"sub_calls"`
	Tokens   int64          `json:"tokens"`
	Cost     float64        `json:"cost"`  // USD, as far as prices are known
	Known    bool           `json:"known"` // false if a price is unknown
	Since    time.Time      `json:"since,omitzero"`
	Ended    bool           `json:"ended"`
	Budgets  runner.Budgets `json:"budgets"`

	paid trajectory.Cost
}

// NewProjection makes a projection of the log in dir.
func NewProjection(dir string) *Projection {
	return &Projection{
		reader: trajectory.NewReader(dir), cells: map[cellKey]*cell{},
		open: map[trajectory.CallKey]*call{}, childOf: map[string]*call{}, ends: map[string]time.Time{},
		spans: spans{runs: map[string]*Span{}, turns: map[string]*Span{}, asked: map[string]*Span{}},
	}
}

// Update reads new events of the log, so that the next query returns sooner.
func (b *Projection) Update() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.update()
}

// update reads new events. The caller holds mu.
func (b *Projection) update() error {
	for ev, err := range b.reader.More() {
		if err != nil {
			return fmt.Errorf("read what happened: %w", err)
		}
		b.add(ev)
	}
	return nil
}

func (b *Projection) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		if ev.Path == "" {
			b.ask(ev, d)
		}
	case trajectory.Resumed:
		delete(b.ends, ev.Path)
	case trajectory.TurnStarted:
		delete(b.ends, ev.Path)
		if ev.Path == "" {
			b.spent.Turns, b.spent.Ended = max(b.spent.Turns, ev.Turn), false
			b.version++
		} else {
			b.spent.SubCalls++
		}
	case trajectory.ReplyReceived, trajectory.CallLost:
		u, _ := ev.Usage()
		b.pay(ev.Path, u)
	case trajectory.CellStarted:
		p := cellKey{ev.Path, d.Cell}
		if old := b.cells[p]; old != nil && old.ended { // an undone cell had the same number
			delete(b.cells, p)
		}
		b.cellAt(p).run = b.run
	case trajectory.CellEnded:
		if c := b.cells[cellKey{ev.Path, d.Cell}]; c != nil {
			c.ended = true
		}
	case trajectory.SubCallStarted:
		b.begin(ev, d)
	case trajectory.SubCallEnded:
		b.end(ev, d)
	case trajectory.RunEnded:
		b.ends[ev.Path] = ev.Time
		if ev.Path == "" {
			b.spent.Ended = true
			b.version++
		}
	}
	b.spans.add(ev, b)
	b.requests.add(ev)
}

// ask resets the usage for a new question.
func (b *Projection) ask(ev trajectory.Event, d trajectory.RunStarted) {
	var config struct {
		Budgets runner.Budgets `json:"budgets"`
	}
	_ = json.Unmarshal(d.Config, &config) // budgets in an unknown form are not shown
	b.run = d.Number
	clear(b.ends)
	b.spent = Usage{
		Run: d.Number, Known: true, Since: ev.Time, Limit: config.Budgets.Iterations,
		Budgets: config.Budgets,
	}
	b.version++
}

// cellAt returns a cell, and adds it if it is new.
func (b *Projection) cellAt(p cellKey) *cell {
	c := b.cells[p]
	if c == nil {
		c = &cell{run: b.run, tally: Tally{Cell: p.cell, Path: p.path}, sizes: map[int]int{}}
		b.cells[p] = c
	}
	return c
}

// over reports whether a cell can have no more events.
func (b *Projection) over(c *cell) bool {
	return c.ended || c.run != b.run || !b.endOf(c.tally.Path).IsZero()
}

// endOf returns when a run of the last question, or a run above it, ended; zero if none has.
func (b *Projection) endOf(path string) time.Time {
	for {
		at, ended := b.ends[path]
		if ended || path == "" {
			return at
		}
		path, _ = Above(path)
	}
}

// touch marks a cell's tally as changed.
func (b *Projection) touch(c *cell) {
	b.version++
	c.at = b.version
}

// pay adds the usage of a model call to the question and to the cells that contain the call.
func (b *Projection) pay(path string, u trajectory.Usage) {
	b.spent.Tokens += u.Tokens()
	b.spent.paid.Add(u)
	b.spent.Cost, b.spent.Known = b.spent.paid.USD, !b.spent.paid.Unpriced
	b.version++
	for path != "" {
		above, number := Above(path)
		c := b.cellAt(cellKey{above, number})
		c.pay(u)
		b.touch(c)
		if child := b.childOf[path]; child != nil {
			child.pay(u)
		}
		path = above
	}
}

func (c *cell) pay(u trajectory.Usage) {
	c.tally.Tokens += u.Tokens()
	c.tally.paid.Add(u)
}

// Above returns the path of a child run's parent and the number of the cell that started the child: "1.3/2.7/1" is
// in cell 7 of "1.3/2", which is in cell 3 of the root.
func Above(path string) (above string, cell int) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", 0
	}
	head := path[:i]
	dot := strings.LastIndexByte(head, '.')
	cell, _ = strconv.Atoi(head[dot+1:])
	if j := strings.LastIndexByte(head, '/'); j >= 0 && dot > j {
		return head[:dot], cell
	}
	return "", cell
}

// Tallies returns the tallies of the root's cells that changed after a version, the usage of the last question, and
// the version for the next call.
func (b *Projection) Tallies(after int64) (cells []Tally, spent Usage, version int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.update()
	cells, spent, version = b.tallies(after)
	return cells, spent, version, err
}

// recentEvery is the minimum interval between reads of the log by Recent, for all its callers together.
const recentEvery = 100 * time.Millisecond

// Recent is Tallies for many polling callers: it reads the log at most once per recentEvery. late reports that it
// did not read it, so that the result may be slightly old.
func (b *Projection) Recent(after int64) (cells []Tally, spent Usage, version int64, late bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if late = time.Since(b.recent) < recentEvery; !late {
		err = b.update()
		b.recent = time.Now()
	}
	cells, spent, version = b.tallies(after)
	return cells, spent, version, late, err
}

// tallies returns what Tallies does, without reading the log. The caller holds mu.
func (b *Projection) tallies(after int64) (cells []Tally, spent Usage, version int64) {
	for p, c := range b.cells {
		if p.path == "" && c.at > after {
			cells = append(cells, c.told())
		}
	}
	return cells, b.spent, b.version
}

func (c *cell) told() Tally {
	t := c.tally
	t.Total = t.Started
	known := 0
	for _, n := range c.sizes {
		known += n
	}
	t.Total = max(t.Total, known)
	t.Cost = t.paid.Full()
	return t
}
