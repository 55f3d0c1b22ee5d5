package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/host"
)

// Limits are those of a user. 0 means no limit.
type Limits struct {
	CostPerDay float64 `json:"max_cost_per_day,omitempty"` // USD in a day of UTC, as far as prices are known
	Runs       int     `json:"max_runs,omitempty"`         // at once, with those that wait
	Cells      int     `json:"max_cells,omitempty"`        // of one's own at once; others wait. 0: 4
	Disk       int64   `json:"max_disk,omitempty"`         // bytes of sessions and files
}

// Ledger knows what was spent today, also before the server was started.
type Ledger struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	day  string
	past map[string]float64 // spent by runs that are over
	live map[*Grant]bool
	// In the file, what a user's runs have spent and what their calls under way may have.
	saved map[string]float64
	// What the replies of a user's calls have cost, to estimate one that nobody will see.
	replies map[string]meanCost

	settled chan struct{} // is closed, and another one made, when a call is settled
}

// ledgerFile is what the file holds. What runs under way have spent so far counts, and so does what their calls under way are going to
// cost, by estimate: the server may be killed, and they are paid all the same.
type ledgerFile struct {
	Day      string             `json:"day"`
	Spent    map[string]float64 `json:"spent"`
	UnderWay map[string]float64 `json:"under_way,omitempty"`
}

// headroom is the part of a day's budget by which a write counts ahead, so that few calls need one.
const headroom = 0.01

// OpenLedger reads the ledger of a file. now is the clock.
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

// Grant is a run or a cell that a user may have. It is the host.Quota of that run. End it. One that is nil
// has no bound.
type Grant struct {
	cell   bool // a person's own: it is no run
	ledger *Ledger
	name   string
	limit  Limits
	cost   float64
	held   host.Reservation // by its calls under way
	calls  int              // under way
	saved  float64          // cost in the file
	why    *Error           // the latest refusal of a call
	bound  float64          // what Left said first: a run ends by itself there; 0: nobody asked
}

// Begin lets a user begin a run; the error may have the code Limit.
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
		return nil, &Error{Code: Limit, Message: fmt.Sprintf("%s of yours are under way, and more are not allowed at once", units.Of(running, "run")), After: 5 * time.Second}
	}
	if err := b.exceeded(name, l, 0); err != nil {
		return nil, err
	}
	g := &Grant{ledger: b, name: name, limit: l}
	b.live[g] = true
	return g, nil
}

// Cell lets a user run a cell. Most cells cost nothing, so it may also when the budget of the day is used up:
// what they may spend is Left.
func (b *Ledger) Cell(name string, l Limits) *Grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	g := &Grant{cell: true, ledger: b, name: name, limit: l}
	b.live[g] = true
	return g
}

// turn begins a new day when there is one. The caller holds mu.
func (b *Ledger) turn() {
	if day := b.now().UTC().Format(time.DateOnly); day != b.day {
		b.day, b.past, b.saved = day, map[string]float64{}, map[string]float64{}
	}
}

// spent is what a user has spent today, with runs under way. The caller holds mu.
func (b *Ledger) spent(name string) float64 {
	sum := b.past[name]
	for g := range b.live {
		if g.name == name {
			sum += g.cost
		}
	}
	return sum
}

// save writes the book. What it holds counts in memory also when it cannot be written. The caller holds mu.
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

// Left is what is left of the day in USD; negative: there is no limit.
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

// Spent reports whether the run may go on: not when all runs of the user together have spent the day's
// budget, unless this one has come to its own bound and ends by that. What it has cost so far is in the file
// then.
func (g *Grant) Spent() (ok bool) {
	if g == nil {
		return true
	}
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	g.ledger.turn()
	if g.cost != g.saved { // it is asked at each turn, and a write is synced
		if g.saved = g.cost; g.ledger.save() != nil {
			return false
		}
	}
	byItself := g.bound > 0 && g.cost >= g.bound
	return g.limit.CostPerDay <= 0 || byItself || g.ledger.spent(g.name) < g.limit.CostPerDay
}

// End says that the run is over. It is safe to call twice.
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
		_ = g.ledger.save() // it counts in memory; the next run writes it again
	}
}
