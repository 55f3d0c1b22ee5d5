package decide

import (
	"container/heap"
	"sync"
	"time"
)

// TimerEvent is a timer that fired while a cell ran.
type TimerEvent struct {
	Timer uint64 `json:"timer"` // names the timer in the session, the same each time the cell is run
	After int    `json:"after"` // replies that the cell had been handed before
}

// mostFires bounds how many timers are recorded for one cell; later ones are not decided.
const mostFires = 100_000

// Arrivals hands what comes from outside to the goroutines of a cell: replies to its calls and timers. They reach the cell one at a
// time, the next one when everything in the cell waits again, so that what the cell makes of them follows from their order
// alone. In a cell that is run again the recorded order holds; replies and timers that are not in the record come after it, as they
// come. A cell that computes without end delays an arrival only for a while, and then its result is not decided.
//
// One Arrivals serves a session. It is safe for concurrent use.
type Arrivals struct {
	// Alone, if not nil, reports that the cell has no goroutine but the one that runs it: then nothing has to be waited for.
	Alone func() bool

	still quiescence

	mu       sync.Mutex
	active   bool // a goroutine hands out
	again    bool // the cell is one that has run before
	asked    int  // calls of which it is not known yet whether their reply is recorded
	handed   int  // replies
	live     []arrival
	recorded replies      // that have come, by their place in the record
	fires    []TimerEvent // recorded, still to come
	fired    []TimerEvent
	timers   map[uint64]*Timer // armed ones
	held     int
}

// arrival is a reply, or a timer in the state in which it became due.
type arrival struct {
	hand  func()
	timer *Timer
	round int
}

// NewArrivals makes the arrivals of a session.
func NewArrivals() *Arrivals {
	return &Arrivals{still: newQuiescence(), timers: map[uint64]*Timer{}}
}

// Begin says that a cell begins: a new one, or one that runs again with the timers that fired the first time.
func (a *Arrivals) Begin(again bool, fires []TimerEvent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.again, a.fires, a.fired = again, fires, nil
	a.asked, a.handed, a.recorded = 0, 0, nil
}

// Fired lists the timers that have fired since the cell began.
func (a *Arrivals) Fired() []TimerEvent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fired[:len(a.fired):len(a.fired)]
}

// Asked says that a call is on its way to the host. In a cell that runs again nothing is handed out until it is known whether the reply
// is in the record: until Reply or Later.
func (a *Arrivals) Asked() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again {
		a.asked++
	}
}

// Later says that the reply to a call is not in the record.
func (a *Arrivals) Later() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told()
	a.wake()
}

// told notes that it is known of one call more whether its reply is recorded. The caller holds mu.
func (a *Arrivals) told() { a.asked = max(a.asked-1, 0) }

// Reply takes a reply. Its place is the one it has in the record, from 1; 0 for one that is not in it.
func (a *Arrivals) Reply(place int, hand func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if place > 0 {
		a.told()
		heap.Push(&a.recorded, reply{place, hand})
	} else {
		a.live = append(a.live, arrival{hand: hand})
	}
	if !a.active && a.Alone != nil && a.Alone() {
		a.handOne()
	}
	a.wake()
}

// handOne hands out what is next to a cell with nothing to wait for: a goroutine for it would take longer than all the rest. The caller
// holds mu.
func (a *Arrivals) handOne() {
	a.active = true
	hand := a.next()
	if hand != nil {
		a.mu.Unlock()
		hand()
		a.mu.Lock()
	}
	a.active = false
}

// Pending counts what may still reach the cell by itself: timers that are armed, and what is held.
func (a *Arrivals) Pending() (timers, others int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.timers), len(a.live) + len(a.recorded) + a.held
}

// Hold counts something else that will reach the cell by itself, until release is called.
func (a *Arrivals) Hold() (release func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.held--
	})
}

// wake starts handing out, unless that goes on. The caller holds mu.
func (a *Arrivals) wake() {
	if !a.active && a.ready() {
		a.active = true
		go a.handOut()
	}
}

// handOut hands out until nothing is left. Only one goroutine does so at a time.
func (a *Arrivals) handOut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.ready() {
		a.mu.Unlock()
		if a.Alone == nil || !a.Alone() {
			a.still.wait()
		}
		a.mu.Lock()
		hand := a.next()
		if hand == nil {
			break
		}
		a.mu.Unlock()
		hand()
		a.mu.Lock()
	}
	a.active = false
}

// ready reports whether there is something that may be handed out when the cell waits. The caller holds mu.
func (a *Arrivals) ready() bool {
	return a.asked == 0 && (len(a.recorded)+len(a.live) > 0 || len(a.fires) > 0 && a.fires[0].After <= a.handed)
}

// next takes what reaches the cell next; nil if nothing can. The caller holds mu.
func (a *Arrivals) next() func() {
	if a.asked > 0 {
		return nil
	}
	for len(a.fires) > 0 && a.fires[0].After <= a.handed {
		f := a.fires[0]
		a.fires = a.fires[1:]
		if t := a.timers[f.Timer]; t != nil { // else the cell goes another way than the first time
			return a.fire(t)
		}
	}
	if len(a.recorded) > 0 { // the first among those that have been asked for
		a.handed++
		return heap.Pop(&a.recorded).(reply).hand
	}
	for len(a.live) > 0 {
		first := a.live[0]
		a.live = a.live[1:]
		if first.timer == nil {
			a.handed++
			return first.hand
		}
		if first.timer.armed && first.timer.round == first.round {
			return a.fire(first.timer)
		}
	}
	return nil
}

// fire takes a timer that fires. The caller holds mu.
func (a *Arrivals) fire(t *Timer) func() {
	if len(a.fired) < mostFires {
		a.fired = append(a.fired, TimerEvent{t.id, a.handed})
	}
	t.disarm()
	if t.every > 0 {
		t.arm(t.every)
	}
	return t.hand
}

// Timer is a timer of a cell.
type Timer struct {
	a     *Arrivals
	id    uint64
	every time.Duration
	hand  func()

	// Guarded by the lock of the arrivals.
	armed bool
	round int // counts how often it was armed
	clock *time.Timer
}

// NewTimer makes a timer that calls hand after d, and then every so often, unless that is 0. Its id comes from the goroutine that
// makes it.
func (a *Arrivals) NewTimer(id uint64, d, every time.Duration, hand func()) *Timer {
	t := &Timer{a: a, id: id, every: every, hand: hand}
	a.mu.Lock()
	defer a.mu.Unlock()
	t.arm(d)
	return t
}

// Stop disarms the timer and reports whether it was armed.
func (t *Timer) Stop() bool {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	return t.disarm()
}

// Reset arms the timer again and reports whether it was armed. every is as for NewTimer.
func (t *Timer) Reset(d, every time.Duration) bool {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	was := t.disarm()
	t.every = every
	t.arm(d)
	return was
}

// arm starts the clock. The caller holds the lock.
func (t *Timer) arm(d time.Duration) {
	t.armed = true
	t.round++
	t.a.timers[t.id] = t
	round := t.round
	t.clock = time.AfterFunc(d, func() { t.due(round) })
	if len(t.a.fires) > 0 { // it may be this one that fired
		t.a.wake()
	}
}

// disarm stops the clock. The caller holds the lock.
func (t *Timer) disarm() bool {
	was := t.armed
	t.armed = false
	t.clock.Stop()
	if t.a.timers[t.id] == t {
		delete(t.a.timers, t.id)
	}
	return was
}

// due says that the time of a timer has come.
func (t *Timer) due(round int) {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	if t.armed && t.round == round {
		t.a.live = append(t.a.live, arrival{timer: t, round: round})
		t.a.wake()
	}
}
