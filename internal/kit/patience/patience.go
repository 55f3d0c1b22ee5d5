// Package patience defines how long the host of a notebook waits for a cell that may hang. The defaults suit every
// machine, so they are not configurable: only tests of hanging cells shorten them, through the context in which a
// session starts.
package patience

import (
	"context"
	"time"
)

// Times are the waits of one session.
type Times struct {
	// Idle is how long a cell must be without CPU time or frames to be suspected of hanging. Engines wait for half
	// a second after a goroutine's panic, which must not raise suspicion.
	Idle   time.Duration
	Reply  time.Duration // how long a replayed cell waits for unrecorded replies
	End    time.Duration // how long a cell that was asked to end may take
	Replay time.Duration // least CPU time limit of a replayed cell, however short it was the first time
	Read   time.Duration // how long a worker may take to read a reply before its cell's clock continues
}

// Default returns the waits of every session outside of tests.
func Default() Times {
	return Times{
		Idle: time.Second, Reply: 5 * time.Second, End: 2 * time.Second, Replay: 2 * time.Second,
		Read: 10 * time.Second,
	}
}

type key struct{}

// With returns a context in which sessions use the waits t.
func With(ctx context.Context, t Times) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns the waits of a session that starts in the context.
func Of(ctx context.Context) Times {
	if t, ok := ctx.Value(key{}).(Times); ok {
		return t
	}
	return Default()
}
