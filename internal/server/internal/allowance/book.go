// Package allowance keeps what users of a server may spend in a day and how many runs they may have at once.
package allowance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/internal/wholefile"
)

// Limits are those of a user. 0 means no limit.
type Limits struct {
	CostPerDay float64 `json:"max_cost_per_day,omitempty"` // USD in a day of UTC, as far as prices are known
	Runs       int     `json:"max_runs,omitempty"`         // at once, with those that wait
}

// ExceededError says that a user may begin no run now.
type ExceededError struct {
	Message string
	After   time.Duration // when there is room again, as far as that is known
	Day     bool          // the day's budget is used up
}

func (e *ExceededError) Error() string { return e.Message }

// Book knows what was spent today, also before the server was started.
type Book struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	day  string
	past map[string]float64 // spent by runs that are over
	live map[*Grant]bool
}

// kept is what the file holds. What runs under way have spent so far counts: the server may be killed.
type kept struct {
	Day   string             `json:"day"`
	Spent map[string]float64 `json:"spent"`
}

// Open reads the book of a file. now is the clock.
func Open(file string, now func() time.Time) (*Book, error) {
	b := &Book{file: file, now: now, past: map[string]float64{}, live: map[*Grant]bool{}}
	var k kept
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err == nil:
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return nil, fmt.Errorf("read what users have spent: %w", err)
	}
	if b.day = k.Day; k.Spent != nil {
		b.past = k.Spent
	}
	return b, nil
}

// Grant is a run or a cell that a user may have. End it.
type Grant struct {
	cell  bool // a person's own: it is no run
	book  *Book
	name  string
	limit Limits
	cost  float64
	bound float64 // what Left said first: a run ends by itself there; 0: nobody asked
}

// Begin lets a user begin a run; the error may be an *ExceededError.
func (b *Book) Begin(name string, l Limits) (*Grant, error) {
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
		return nil, &ExceededError{Message: fmt.Sprintf("%s of yours are under way, and more are not allowed at once", quantity.Of(running, "run")), After: 5 * time.Second}
	}
	if l.CostPerDay > 0 && b.spent(name) >= l.CostPerDay {
		return nil, &ExceededError{
			Message: fmt.Sprintf("your budget of %s a day is used up; the next day begins at midnight UTC", quantity.Dollars(l.CostPerDay)),
			After:   b.now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(b.now()), Day: true,
		}
	}
	g := &Grant{book: b, name: name, limit: l}
	b.live[g] = true
	return g, nil
}

// Cell lets a user run a cell. Most cells cost nothing, so it may also when the budget of the day is used up: what they may spend is Left.
func (b *Book) Cell(name string, l Limits) *Grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn()
	g := &Grant{cell: true, book: b, name: name, limit: l}
	b.live[g] = true
	return g
}

// turn begins a new day when there is one. The caller holds mu.
func (b *Book) turn() {
	if day := b.now().UTC().Format(time.DateOnly); day != b.day {
		b.day, b.past = day, map[string]float64{}
	}
}

// spent is what a user has spent today, with runs under way. The caller holds mu.
func (b *Book) spent(name string) float64 {
	sum := b.past[name]
	for g := range b.live {
		if g.name == name {
			sum += g.cost
		}
	}
	return sum
}

// save writes the book. What it holds counts in memory also when it cannot be written. The caller holds mu.
func (b *Book) save() error {
	k := kept{Day: b.day, Spent: map[string]float64{}}
	for name, cost := range b.past {
		k.Spent[name] = cost
	}
	for g := range b.live {
		k.Spent[g.name] += g.cost
	}
	text, err := json.Marshal(k)
	if err == nil {
		err = wholefile.Replace(b.file, text)
	}
	return err
}

// Left is what is left of the day in USD; negative: there is no limit.
func (g *Grant) Left() float64 {
	if g.limit.CostPerDay <= 0 {
		return -1
	}
	g.book.mu.Lock()
	defer g.book.mu.Unlock()
	g.book.turn()
	left := max(0, g.limit.CostPerDay-g.book.spent(g.name))
	if g.bound == 0 {
		g.bound = left
	}
	return left
}

// Spent tells what the run has cost so far and reports whether it may go on: not when all runs of the user together have spent the day's
// budget, unless this one has come to its own bound and ends by that.
func (g *Grant) Spent(cost float64) (ok bool) {
	g.book.mu.Lock()
	defer g.book.mu.Unlock()
	g.book.turn()
	if cost != g.cost { // it is asked at each turn, and a write is synced
		if g.cost = cost; g.book.save() != nil {
			return false
		}
	}
	byItself := g.bound > 0 && cost >= g.bound
	return g.limit.CostPerDay <= 0 || byItself || g.book.spent(g.name) < g.limit.CostPerDay
}

// End says that the run is over and what it cost. It is safe to call twice.
func (g *Grant) End(cost float64) {
	g.book.mu.Lock()
	defer g.book.mu.Unlock()
	if !g.book.live[g] {
		return
	}
	g.book.turn()
	delete(g.book.live, g)
	if cost = max(cost, g.cost); cost > 0 {
		g.book.past[g.name] += cost
		_ = g.book.save() // it counts in memory; the next run writes it again
	}
}
