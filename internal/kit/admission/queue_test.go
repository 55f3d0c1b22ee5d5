package admission

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNobodyKeepsOthersWaiting checks that users take turns, and that each user's questions keep their order.
func TestNobodyKeepsOthersWaiting(t *testing.T) {
	gate := NewQueue(1)
	require.NoError(t, gate.Enter(t.Context(), Wish{Who: "ann"}))
	entered := make(chan string)
	ahead := map[string]int{}
	wait := func(ctx context.Context, who, name string) {
		queued := make(chan struct{}, 100)
		go func() {
			if gate.Enter(ctx, Wish{Who: who, Ahead: func(n int) { ahead[name] = n; queued <- struct{}{} }}) == nil {
				entered <- name
			}
		}()
		<-queued
	}
	wait(t.Context(), "ann", "ann 1")
	wait(t.Context(), "ann", "ann 2")
	ctx, giveUp := context.WithCancel(t.Context())
	wait(ctx, "cyd", "cyd")
	wait(t.Context(), "bob", "bob 1")
	wait(t.Context(), "bob", "bob 2")
	gate.mu.Lock()
	require.Equal(t, map[string]int{"cyd": 0, "bob 1": 1, "bob 2": 2, "ann 1": 3, "ann 2": 4}, ahead)
	gate.mu.Unlock()
	giveUp()
	for waiting := 5; waiting == 5; runtime.Gosched() { // wait until cyd has left the queue
		gate.mu.Lock()
		waiting = len(gate.waiting)
		gate.mu.Unlock()
	}
	who := "ann"
	for _, want := range []string{"bob 1", "ann 1", "bob 2", "ann 2"} {
		gate.Leave(who)
		require.Equal(t, want, <-entered)
		who = want[:3]
	}
	gate.Leave(who)
	require.Equal(t, 1, gate.free)
	require.Empty(t, gate.inside)
}

// TestPriorityComesFirst checks that priority outweighs the number of places that a user has and the waiting time.
func TestPriorityComesFirst(t *testing.T) {
	q := NewQueue(2)
	require.True(t, q.Room())
	require.True(t, q.Try("ann"))
	require.True(t, q.Try("ann"))
	require.False(t, q.Try("bob"))
	require.False(t, q.Room())
	entered := make(chan string)
	for i, w := range []Wish{
		{Who: "bob"}, {Who: "ann", Priority: 1}, {Who: "bob", Priority: -1}, {Who: "ann", Priority: 1},
	} {
		queued := make(chan struct{}, 100)
		w.Ahead = func(int) { queued <- struct{}{} }
		go func() {
			if q.Enter(t.Context(), w) == nil {
				entered <- fmt.Sprint(w.Who, i)
			}
		}()
		<-queued
	}
	for _, want := range []string{"ann1", "ann3", "bob0", "bob2"} {
		q.Leave("ann")
		require.Equal(t, want, <-entered)
	}
	require.False(t, q.Room())
}
