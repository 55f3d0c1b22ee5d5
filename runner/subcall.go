package runner

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Bounds of the texts of all calls of a tree that are under way, in bytes. Each depth has a part of its own, so that a call that waits
// for its child run never keeps the calls of that child from being made.
const (
	bytesInFlight = 64 << 20
	bytesBelow    = 16 << 20 // of each depth below the root
)

// bytesByDepth makes the parts of bytesInFlight.
func bytesByDepth(depth int) []*semaphore.Weighted {
	parts := []*semaphore.Weighted{semaphore.NewWeighted(bytesAt(0, depth))}
	for range depth {
		parts = append(parts, semaphore.NewWeighted(bytesBelow))
	}
	return parts
}

// bytesAt is the part of a depth in a tree that is so deep.
func bytesAt(at, depth int) int64 {
	if at > 0 {
		return bytesBelow
	}
	return max(bytesBelow, bytesInFlight-int64(depth)*bytesBelow)
}

// answer answers a call of a cell: from the log if it was answered before, else by a model, a child run or a tool. It is
// called from several goroutines.
func (r *run) answer(ctx context.Context, turn int, c sandbox.Call) sandbox.Reply {
	key := journal.Key{Path: r.path, Cell: c.Cell, Hash: c.Hash, N: c.N}
	if reply, ok := r.journal.Answered(key); ok {
		return reply
	}
	ctx, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	s := &subcall{run: r, turn: turn, key: key, call: c}
	switch c.Impl {
	case builtins.ImplTool:
		return s.bounded(ctx, s.tool)
	case builtins.ImplChild:
		if r.depth < r.bounds.Depth {
			return s.bounded(ctx, s.child)
		}
		return s.bounded(ctx, s.fallback)
	case builtins.ImplQuery:
		return s.bounded(ctx, func(ctx context.Context) sandbox.Reply { return s.query(ctx, string(c.Body)) })
	default:
		return sandbox.Reply{Error: fmt.Sprintf("this program knows nothing of %q", c.Impl)}
	}
}

// bounded answers a call once its texts fit beside those of the other calls under way. A call of the root that is larger by itself
// runs alone.
func (s *subcall) bounded(ctx context.Context, answer func(context.Context) sandbox.Reply) sandbox.Reply {
	size, most := s.ownBytes(), bytesAt(s.depth, s.bounds.Depth)
	if s.depth > 0 && size > most {
		return sandbox.Reply{Error: fmt.Sprintf("the text of this call has %s, at most %s below the root: give it less, or a single slice of context, which may have any size",
			quantity.Bytes(size), quantity.Binary(most))}
	}
	size = min(size, most)
	if lim := s.lease.Record(s.ownBytes()); lim != nil {
		return sandbox.Reply{Error: fmt.Sprintf("the log of this run holds %s of texts of sub-calls, of %s at most: this call was not made; ask with less text, or finish with what there is",
			lim.Used, lim.Bound)}
	}
	if err := s.bytes[s.depth].Acquire(ctx, size); err != nil {
		return unwound(cause(ctx, err))
	}
	defer s.bytes[s.depth].Release(size)
	return answer(ctx)
}

// ownBytes is the size of the texts that the call holds in memory: all but one range of the context by itself.
func (s *subcall) ownBytes() int64 {
	size := int64(len(s.call.Body))
	for _, t := range s.call.Text {
		switch {
		case !t.InContext:
			size += int64(len(t.Bytes))
		case len(s.call.Text) > 1:
			size += t.Size
		}
	}
	return size
}

// printed shows what a cell prints while it prints.
func (r *run) printed(turn, cell int, text []byte) {
	r.journal.Show(r.path, turn, trajectory.CellPrinted{Cell: cell, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
}
