package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/host"
)

// Limits are the limits of a user. 0 means no limit.
type Limits struct {
	CostPerDay float64 `json:"max_cost_per_day,omitempty"` // USD per day (UTC), as far as prices are known
	Runs       int     `json:"max_runs,omitempty"`         // active at the same time, including waiting ones
	Cells      int     `json:"max_cells,omitempty"`        // running at the same time; 0: CellsOfUser
	Disk       int64   `json:"max_disk,omitempty"`         // bytes of sessions and files
}

// Ledger records what users have spent today, across restarts of the server.
type Ledger struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	day  string
	past map[string]float64 // spent by runs that have ended, by user
	live map[*Grant]bool
	// By user, as in the file: spending plus the estimated cost of calls in progress.
	saved map[string]float64
	// Past costs of replies by user, to estimate those of calls in progress.
	replies map[string]meanCost

	settled chan struct{} // closed and replaced whenever a call is settled
}

// ledgerFile is the content of the file. It includes what active runs have spent and the estimated cost of their
// calls in progress, because both must be paid even if the server is killed.
type ledgerFile struct {
	Day      string             `json:"day"`
	Spent    map[string]float64 `json:"spent"`
	UnderWay map[string]float64 `json:"under_way,omitempty"`
}

// headroom is the fraction of a day's budget that a save adds in advance, so that few calls need a save.
const headroom = 0.01

// OpenLedger reads the ledger from a file. now is the clock.
func OpenLedger(file string, now func() time.Time) (*Ledger, error) {
	b := &Ledger{
		file: file, now: now, past: map[string]float64{}, live: map[*Grant]bool{}, settled: make(chan struct{}),
		saved: map[string]float64{}, replies: map[string]meanCost{},
	}
	var k ledgerFile
	if err := files.ReadJSON(file, &k); err != nil {
		return nil, fmt.Errorf("read what users have spent: %w", err)
	}
	if b.day = k.Day; k.Spent != nil {
		b.past = k.Spent
	}
	for name, cost := range k.UnderWay {
		b.past[name] += cost
	}
	return b, nil
}

// Grant permits a user's run or cell, and is the run's host.Quota. End it. A nil Grant has no limit.
type Grant struct {
	cell   bool // a person's cell, not a run
	ledger *Ledger
	name   string
	limit  Limits
	cost   float64
	held   host.Reservation // reserved for its calls in progress
	calls  int              // number of its calls in progress
	saved  float64          // the cost when Spent last saved it
	why    *Error           // the latest refusal of a call
	bound  float64          // the first result of Left, which bounds the run; 0: Left was not called
}

// Begin grants a run to a user; the error may have the code Limit.
func (b *Ledger) Begin(name string, l Limits) (*Grant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	running := 0
	for g := range b.live {
		if g.name == name && !g.cell {
			running++
		}
	}
	if l.Runs > 0 && running >= l.Runs {
		return nil, &Error{
			Code: Limit,
			Message: fmt.Sprintf("%s of yours are in progress, and no more are allowed at once",
				units.Of(running, "run")), After: 5 * time.Second,
		}
	}
	if err := b.exceeded(name, l, 0); err != nil {
		return nil, err
	}
	g := &Grant{ledger: b, name: name, limit: l}
	b.live[g] = true
	return g, nil
}

// Cell grants a cell to a user, even if the day's budget is used up, because most cells cost nothing. Left returns
// the bound on its cost.
func (b *Ledger) Cell(name string, l Limits) *Grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	g := &Grant{cell: true, ledger: b, name: name, limit: l}
	b.live[g] = true
	return g
}

// turn resets the ledger when a new day has begun. The caller holds mu.
func (b *Ledger) turn() {
	if day := b.now().UTC().Format(time.DateOnly); day != b.day {
		b.day, b.past, b.saved = day, map[string]float64{}, map[string]float64{}
	}
}

// spent returns what a user has spent today, including active runs. The caller holds mu.
func (b *Ledger) spent(name string) float64 {
	sum := b.past[name]
	for g := range b.live {
		if g.name == name {
			sum += g.cost
		}
	}
	return sum
}

// save writes the ledger. If that fails, the values in memory still count. The caller holds mu.
func (b *Ledger) save() error {
	k := ledgerFile{Day: b.day, Spent: map[string]float64{}, UnderWay: map[string]float64{}}
	for name, cost := range b.past {
		k.Spent[name] = cost
	}
	for g := range b.live {
		k.Spent[g.name] += g.cost
		if g.calls > 0 {
			k.UnderWay[g.name] += b.underWay(g)
		}
	}
	for name, cost := range k.UnderWay {
		k.UnderWay[name] = cost + headroom*b.limitOf(name)
	}
	b.saved = map[string]float64{}
	for name, cost := range k.Spent {
		b.saved[name] = cost + k.UnderWay[name]
	}
	return files.ReplaceJSON(b.file, k)
}

// Left returns what is left of the day's budget in USD, or -1 if there is no limit.
func (g *Grant) Left() float64 {
	if g == nil || g.limit.CostPerDay <= 0 {
		return -1
	}
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	g.ledger.turn()
	left := max(0, g.limit.CostPerDay-g.ledger.spent(g.name))
	if g.bound == 0 {
		g.bound = left
	}
	return left
}

// Spent saves the run's cost and reports whether the run may continue. It may not if the cost cannot be saved or
// the user's runs together have spent the day's budget, unless the run has reached its own bound: then it ends
// because of that anyway.
func (g *Grant) Spent() (ok bool) {
	if g == nil {
		return true
	}
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	g.ledger.turn()
	if g.cost != g.saved { // only if changed: Spent is called at each turn, and a save is synced
		if g.saved = g.cost; g.ledger.save() != nil {
			return false
		}
	}
	byItself := g.bound > 0 && g.cost >= g.bound
	return g.limit.CostPerDay <= 0 || byItself || g.ledger.spent(g.name) < g.limit.CostPerDay
}

// End marks the run as ended. It is safe to call twice.
func (g *Grant) End() {
	if g == nil {
		return
	}
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	if !g.ledger.live[g] {
		return
	}
	g.ledger.turn()
	delete(g.ledger.live, g)
	if g.cost > 0 {
		g.ledger.past[g.name] += g.cost
		_ = g.ledger.save() // after an error the cost still counts in memory, and the next run saves it
	}
}
