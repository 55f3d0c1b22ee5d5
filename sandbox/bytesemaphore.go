package sandbox

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// treeRoom bounds the bytes of the calls that the sessions of a tree have in flight.
const treeRoom = 64 << 20

// byteSemaphore is where the bytes of calls are, from before they are read until they were answered or handed to a child. Sessions of
// one depth share a room, and those below them have another: a call may wait for what its children do, but never the other way
// round. A call that is larger than the room has all of it for itself.
type byteSemaphore struct {
	size int64
	free *semaphore.Weighted
}

func newByteSemaphore(depth int) *byteSemaphore {
	size := int64(treeRoom) >> min(depth+1, 8) // 32, 16, 8, … MiB: together less than treeRoom
	return &byteSemaphore{size: size, free: semaphore.NewWeighted(size)}
}

// roomAt is the room of the sessions at a depth.
func (w *Workers) roomAt(depth int) *byteSemaphore {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.rooms) <= depth {
		w.rooms = append(w.rooms, newByteSemaphore(len(w.rooms)))
	}
	return w.rooms[depth]
}

// try takes n bytes if they are there.
func (r *byteSemaphore) try(n int) (release func()) {
	weight := min(int64(n), r.size)
	if !r.free.TryAcquire(weight) {
		return nil
	}
	return sync.OnceFunc(func() { r.free.Release(weight) })
}

// take waits for n bytes, in the order of arrival.
func (r *byteSemaphore) take(ctx context.Context, n int) (release func(), err error) {
	weight := min(int64(n), r.size)
	if err := r.free.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { r.free.Release(weight) }), nil
}

// releaseKey finds in the context of a call what gives back the call's room.
type releaseKey struct{}

// handOver gives back the room of the call on whose behalf a session starts: its text is the session's context by now, or dropped.
func handOver(ctx context.Context) {
	if release, ok := ctx.Value(releaseKey{}).(func()); ok {
		release()
	}
}
