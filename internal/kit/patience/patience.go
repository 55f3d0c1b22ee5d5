// Package patience defines how long the host of a notebook waits for a cell that may hang. The defaults suit every
// machine, so this is no setting: only tests of cells that hang shorten it, through the context in which a session
// starts.
package patience

import (
	"context"
	"time"
)

// Times are the waits of one session.
type Times struct {
	// Idle is without CPU time or frames, before a cell is suspected to hang for ever. Engines wait for half a second
	// after a goroutine's panic, which is no reason for suspicion.
	Idle   time.Duration
	Reply  time.Duration // for replies that are not recorded, in a replayed cell
	End    time.Duration // for a cell to end after it was asked to
	Replay time.Duration // CPU time of a replayed cell, however short it was the first time
	Read   time.Duration // for a worker to read a reply, before the time of its cell runs again
}

// Default returns the waits of every session outside of tests.
func Default() Times {
	return Times{Idle: time.Second, Reply: 5 * time.Second, End: 2 * time.Second, Replay: 2 * time.Second, Read: 10 * time.Second}
}

type key struct{}

// With returns a context in which sessions wait as long as t says.
func With(ctx context.Context, t Times) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns the waits of a session that starts in the context.
func Of(ctx context.Context) Times {
	if t, ok := ctx.Value(key{}).(Times); ok {
		return t
	}
	return Default()
}
