package sandbox

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// treeRoom bounds the bytes of the calls that a tree of sessions has in flight.
const treeRoom = 64 << 20

// byteSemaphore bounds the bytes of calls. A call holds its bytes from before it is read until it is answered or
// handed over to a child run. All sessions of one depth share a semaphore, and each depth has a different one: a
// call may wait for the calls of its children, never the other way round. A call larger than the semaphore takes
// all of it.
type byteSemaphore struct {
	size int64
	free *semaphore.Weighted
}

func newByteSemaphore(depth int) *byteSemaphore {
	size := int64(treeRoom) >> min(depth+1, 8) // 32, 16, 8, … MiB: together less than treeRoom
	return &byteSemaphore{size: size, free: semaphore.NewWeighted(size)}
}

// roomAt returns the semaphore of the sessions at a depth.
func (w *Workers) roomAt(depth int) *byteSemaphore {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.rooms) <= depth {
		w.rooms = append(w.rooms, newByteSemaphore(len(w.rooms)))
	}
	return w.rooms[depth]
}

// try acquires n bytes if they are free; otherwise it returns nil.
func (r *byteSemaphore) try(n int) (release func()) {
	weight := min(int64(n), r.size)
	if !r.free.TryAcquire(weight) {
		return nil
	}
	return sync.OnceFunc(func() { r.free.Release(weight) })
}

// take waits for n bytes, first come, first served.
func (r *byteSemaphore) take(ctx context.Context, n int) (release func(), err error) {
	weight := min(int64(n), r.size)
	if err := r.free.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { r.free.Release(weight) }), nil
}

// releaseKey is the context key of the function that releases a call's bytes.
type releaseKey struct{}

// handOver releases the bytes of the call that starts a session: by now the call's text is the session's context,
// or has been dropped.
func handOver(ctx context.Context) {
	if release, ok := ctx.Value(releaseKey{}).(func()); ok {
		release()
	}
}
