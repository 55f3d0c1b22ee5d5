package decide

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cell starts n goroutines. Each waits for its reply, which its function in hand delivers, and then records its
// number under a lock. noted waits for all of them and returns the numbers in recorded order.
func cell(a *Arrivals, n int) (hand []func(), noted func() []int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var order []int
	for i := range n {
		ch := make(chan struct{}, 1)
		hand = append(hand, func() { ch <- struct{}{} })
		wg.Go(func() {
			<-ch
			for range 1000 { // some work before the lock
				i += 0
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		})
	}
	return hand, func() []int { wg.Wait(); return order }
}

func TestRepliesAreHandedOutInOrderOfArrival(t *testing.T) {
	a := NewArrivals()
	a.Begin(false, nil)
	hand, noted := cell(a, 200)
	want := []int{}
	for i := range hand {
		i = (i * 77) % len(hand)
		a.Reply(0, hand[i])
		want = append(want, i)
	}
	assert.Equal(t, want, noted())
}

// Recorded replies arrive in recorded order, whatever the order of calls and replies; others follow.
func TestRecordedRepliesComeInTheirOrder(t *testing.T) {
	a := NewArrivals()
	a.Begin(true, nil)
	hand, noted := cell(a, 100)
	for range hand {
		a.Asked()
	}
	for i := range hand {
		switch i = (i * 77) % len(hand); {
		case i >= 90:
			a.Later()
			a.Reply(0, hand[i])
		default:
			a.Reply(i+1, hand[i])
		}
	}
	got := noted()
	assert.IsNonDecreasing(t, got[:90], "got %v", got)
	assert.Equal(t, 89, got[89], "got %v", got)
}

// A cell without goroutines has its reply when Reply returns, in recorded order if an order was recorded.
func TestAReplyToACellAloneIsThereAtOnce(t *testing.T) {
	a := NewArrivals()
	a.Alone = func() bool { return true }
	a.Begin(false, nil)
	got := make(chan int, 8)
	hand := func(i int) func() { return func() { got <- i } }
	a.Reply(0, hand(7))
	require.Len(t, got, 1, "the reply is not there")
	require.Equal(t, 7, <-got)
	a.Begin(true, nil)
	for range 3 {
		a.Asked()
	}
	a.Reply(2, hand(2))
	a.Reply(3, hand(3))
	require.Empty(t, got, "replies that came while the first is still asked for")
	a.Reply(1, hand(1))
	for want := 1; want <= 3; want++ {
		assert.Equal(t, want, <-got)
	}
}

// In a replay, a timer fires at the same point as the first time, even before its time has come.
func TestTimersFireWhereTheyFired(t *testing.T) {
	run := func(again bool, fires []TimerEvent, reply func(a *Arrivals, i int, hand func())) (string, []TimerEvent) {
		a := NewArrivals()
		a.Begin(again, fires)
		var mu sync.Mutex
		var log []string
		done := make(chan struct{}, 4)
		note := func(text string) func() {
			return func() { mu.Lock(); log = append(log, text); mu.Unlock(); done <- struct{}{} }
		}
		d := time.Millisecond
		if again {
			d = time.Hour
		}
		a.NewTimer(7, d, 0, note("timer 7"))
		idle := a.NewTimer(8, time.Hour, 0, note("timer 8"))
		if !again {
			<-done
		}
		for i := range 2 {
			reply(a, i, note(fmt.Sprint("reply ", i)))
			if !again {
				<-done
			}
		}
		if again {
			for range 3 {
				<-done
			}
		}
		pending := func() int { timers, others := a.Pending(); return timers + others }
		assert.Equal(t, 1, pending(), "the timer that did not fire is pending")
		assert.True(t, idle.Stop(), "the timer that did not fire is pending")
		assert.False(t, idle.Stop(), "a timer stops once")
		assert.Zero(t, pending(), "the timer is stopped")
		return fmt.Sprint(log), a.Fired()
	}
	first, fired := run(false, nil, func(a *Arrivals, _ int, hand func()) { a.Reply(0, hand) })
	second, again := run(true, fired, func(a *Arrivals, i int, hand func()) { a.Asked(); a.Reply(i+1, hand) })
	assert.Equal(t, first, second)
	assert.Equal(t, fired, again)
	assert.Len(t, fired, 1)
}

// A cell that computes without end still gets its timers and replies.
func TestAComputingCellIsNotWaitedForForEver(t *testing.T) {
	a := NewArrivals()
	a.Begin(false, nil)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() { // computes without a call
			continue
		}
	})
	for range 20 {
		got := make(chan struct{})
		a.Reply(0, func() { close(got) })
		<-got
	}
	fired := make(chan struct{})
	a.NewTimer(1, time.Millisecond, 0, func() { close(fired) })
	<-fired
	stop.Store(true)
	wg.Wait()
}

func BenchmarkReply(b *testing.B) {
	a := NewArrivals()
	a.Begin(false, nil)
	for b.Loop() {
		got := make(chan struct{})
		a.Reply(0, func() { close(got) })
		<-got
	}
}
