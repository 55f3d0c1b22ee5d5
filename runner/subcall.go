package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// answer answers a call of a cell: from the log if recorded, else with a model, a child run or a tool. It is
// called from several goroutines.
func (r *run) answer(ctx context.Context, turn int, c sandbox.Call) sandbox.Reply {
	key := journal.Key{Path: r.path, Cell: c.Cell, Hash: c.Hash, N: c.N}
	if reply, ok := r.journal.Answered(key); ok {
		return reply
	}
	ctx, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	s := &subcall{run: r, turn: turn, key: key, call: c}
	var reply sandbox.Reply
	var failed error
	callback.Guard("the call", &failed, func() error {
		reply = s.make(ctx)
		return nil
	})
	if failed != nil { // a panic, for example in a model's method Name
		return unwound(failed)
	}
	return reply
}

// make makes the call.
func (s *subcall) make(ctx context.Context) sandbox.Reply {
	c := s.call
	if lim := s.lease.Record(s.ownBytes()); lim != nil {
		return s.refuse(fmt.Sprintf(
			"the log of this run holds %s of texts of sub-calls, of %s at most: this call was not made; ask with less text, or finish with what there is",
			lim.Used, lim.Bound))
	}
	switch c.Impl {
	case builtins.ImplTool:
		return s.tool(ctx)
	case builtins.ImplChild:
		if s.depth < s.bounds.Depth {
			return s.child(ctx)
		}
		return s.fallback(ctx)
	case builtins.ImplQuery:
		return s.query(ctx, string(c.Body))
	default:
		return s.refuse(fmt.Sprintf("this program knows nothing of %q", c.Impl))
	}
}

// ownBytes is the memory that the call's texts take: a single range of the context takes none.
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

// printed shows a cell's output while it runs.
func (r *run) printed(turn, cell int, text []byte) {
	r.journal.Show(r.path, turn, trajectory.CellPrinted{Cell: cell, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
}
