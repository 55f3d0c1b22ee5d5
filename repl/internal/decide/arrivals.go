package decide

import (
	"container/heap"
	"sync"
	"time"
)

// TimerEvent is a timer that fired while a cell ran.
type TimerEvent struct {
	Timer uint64 `json:"timer"` // identifies the timer in the session, the same each time the cell runs
	After int    `json:"after"` // number of replies that the cell had received before
}

// mostFires bounds the timers recorded for one cell; the order of later ones is not reproduced.
const mostFires = 100_000

// Arrivals delivers events from outside to the goroutines of a cell: replies to its calls, and timers. It delivers
// one event at a time, each when all goroutines of the cell are waiting again. So the order of the events alone
// determines how the cell reacts to them. A cell that runs again gets them in the recorded order; replies and
// timers that are not in the record follow as they arrive. A cell that never stops computing delays an event only
// for a while; then its result may differ when it runs again.
//
// One Arrivals serves a session. It is safe for concurrent use.
type Arrivals struct {
	// Alone, if not nil, reports whether the goroutine that runs the cell is the cell's only one, so that there is
	// nothing to wait for.
	Alone func() bool

	still quiescence

	mu       sync.Mutex
	active   bool // a goroutine is delivering
	again    bool // the cell has run before
	asked    int  // calls whose replies may be recorded or not: the host has not reported that yet
	handed   int  // replies delivered
	live     []arrival
	recorded replies      // recorded replies that have arrived but are not delivered, by position in the record
	fires    []TimerEvent // recorded timer events still to come
	fired    []TimerEvent
	timers   map[uint64]*Timer // the armed timers, by id
	held     int
}

// arrival is a reply, or a timer that became due in a round (see Timer.round).
type arrival struct {
	hand  func()
	timer *Timer
	round int
}

// NewArrivals makes the arrivals of a session.
func NewArrivals() *Arrivals {
	return &Arrivals{still: newQuiescence(), timers: map[uint64]*Timer{}}
}

// Begin starts a cell: a new one, or one that runs again with the timers that fired the first time.
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

// Asked records that a call is on its way to the host. In a cell that runs again, nothing is delivered until Reply
// or Later is called for the call, because only then it is known whether the reply is in the record.
func (a *Arrivals) Asked() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again {
		a.asked++
	}
}

// Later records that the reply to a call is not in the record.
func (a *Arrivals) Later() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told()
	a.wake()
}

// told notes that, for one more call, it is now known whether its reply is recorded. The caller holds mu.
func (a *Arrivals) told() { a.asked = max(a.asked-1, 0) }

// Reply accepts a reply. place is its position in the record, from 1; 0 if it is not recorded.
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

// handOne delivers the next arrival on the calling goroutine: the cell has nothing to wait for, and starting a
// goroutine would take longer than everything else. The caller holds mu.
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

// Pending counts the events that may still reach the cell without another call: armed timers, and others, which are
// not yet delivered or counted by Hold.
func (a *Arrivals) Pending() (timers, others int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.timers), len(a.live) + len(a.recorded) + a.held
}

// Hold counts one more event that will reach the cell without another call, until release is called.
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

// wake starts delivery unless it is already running. The caller holds mu.
func (a *Arrivals) wake() {
	if !a.active && a.ready() {
		a.active = true
		go a.handOut()
	}
}

// handOut delivers events until none is left. Only one goroutine may do so at a time.
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

// ready reports whether there is an event to deliver once the cell waits. The caller holds mu.
func (a *Arrivals) ready() bool {
	return a.asked == 0 && (len(a.recorded)+len(a.live) > 0 || len(a.fires) > 0 && a.fires[0].After <= a.handed)
}

// next removes and returns the next arrival; nil if there is none. The caller holds mu.
func (a *Arrivals) next() func() {
	if a.asked > 0 {
		return nil
	}
	for len(a.fires) > 0 && a.fires[0].After <= a.handed {
		f := a.fires[0]
		a.fires = a.fires[1:]
		if t := a.timers[f.Timer]; t != nil { // if there is no such timer, the cell differs from the first run
			return a.fire(t)
		}
	}
	if len(a.recorded) > 0 { // deliver the earliest in the record, of those that have arrived
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

// fire fires a timer and returns its hand function, which the caller must call. The caller holds mu.
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

	// The lock of the arrivals guards these fields.
	armed bool
	round int // how often the timer was armed
	clock *time.Timer
}

// NewTimer makes a timer that calls hand after d and, unless every is 0, again after each interval of length every.
// The id comes from the stream of the goroutine that makes the timer.
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

// arm starts the timer. The caller holds the lock.
func (t *Timer) arm(d time.Duration) {
	t.armed = true
	t.round++
	t.a.timers[t.id] = t
	round := t.round
	t.clock = time.AfterFunc(d, func() { t.due(round) })
	if len(t.a.fires) > 0 { // the next recorded timer may be this one
		t.a.wake()
	}
}

// disarm stops the timer. The caller holds the lock.
func (t *Timer) disarm() bool {
	was := t.armed
	t.armed = false
	t.clock.Stop()
	if t.a.timers[t.id] == t {
		delete(t.a.timers, t.id)
	}
	return was
}

// due is called when the timer of the round becomes due.
func (t *Timer) due(round int) {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	if t.armed && t.round == round {
		t.a.live = append(t.a.live, arrival{timer: t, round: round})
		t.a.wake()
	}
}
