package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// callBook is what a host knows about the calls of a running cell.
type callBook struct {
	closed   bool
	inFlight int
	counts   map[string]int // calls by hash
	answered []CallRecord
	recorded map[callKey]Reply // a replay's answers
	missed   int               // calls of a replay that no record answers
	unwind   *string           // why the cell was told to end
}

type callKey struct {
	hash string
	n    int
}

func newCallBook(recorded []CallRecord) callBook {
	b := callBook{counts: make(map[string]int)}
	if len(recorded) > 0 {
		b.recorded = make(map[callKey]Reply, len(recorded))
		for _, c := range recorded {
			b.recorded[callKey{c.Hash, c.N}] = c.Reply
		}
	}
	return b
}

// call takes a call from the worker and has it answered in the background.
func (r *running) call(ctx context.Context, f wire.Frame) (violation string) {
	if f.ID <= r.p.lastID {
		return "calls out of order"
	}
	r.p.lastID = f.ID
	c, why := r.readCall(f)
	if why != "" {
		return why
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls.inFlight >= r.s.limits.InFlight {
		return "more calls in flight than are allowed"
	}
	c.N = r.calls.counts[c.Hash]
	r.calls.counts[c.Hash]++
	if r.calls.inFlight == 0 {
		r.clock.read(false)
	}
	r.calls.inFlight++
	r.lease.calls.Add(1)
	if r.replay {
		reply, ok := r.calls.recorded[callKey{c.Hash, c.N}]
		if !ok {
			r.calls.missed++ // harmless if the cell ends without its answer, as it may have done the first time
			return ""
		}
		r.answer(f.ID, c, func() Reply { return reply })
		return ""
	}
	over := r.final != nil
	r.answer(f.ID, c, func() Reply {
		switch {
		case over:
			return Reply{Unwind: true, Error: "the answer is given"}
		case r.s.cfg.Call == nil:
			return Reply{Error: "nobody answers calls here"}
		}
		return r.s.cfg.Call(ctx, c)
	})
	return ""
}

// answer gets a reply and sends it. The slot is free before the worker can know.
func (r *running) answer(id uint64, c Call, get func() Reply) {
	r.s.handlers.Add(1)
	go func() {
		defer r.s.handlers.Done()
		reply := get()
		if !r.settle(c, reply) {
			return
		}
		// An error means that the worker is gone, and whoever waits for the cell has noticed.
		_ = r.p.conn.Send(wire.Header{Op: wire.Reply, ID: id, Cell: r.number},
			wire.ReplyMeta{Error: reply.Error, Unwind: reply.Unwind}, reply.Body)
	}()
}

// settle books a reply. It reports false when the cell is over.
func (r *running) settle(c Call, reply Reply) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lease.calls.Add(-1)
	r.calls.inFlight--
	if r.calls.closed {
		return false
	}
	if r.calls.inFlight == 0 {
		r.clock.read(true)
	}
	if reply.Unwind && r.calls.unwind == nil {
		r.calls.unwind = &reply.Error
	}
	r.calls.answered = append(r.calls.answered, CallRecord{Hash: c.Hash, N: c.N, Reply: reply})
	return true
}

// closeCalls ends the book: replies that come later are not sent.
func (r *running) closeCalls() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.closed = true
	r.lease.calls.Add(int64(-r.calls.missed)) // nobody will answer those
}

// readCall checks a call and gives it its key.
func (r *running) readCall(f wire.Frame) (c Call, violation string) {
	var meta wire.CallMeta
	if err := f.Decode(&meta); err != nil {
		return c, err.Error()
	}
	limits := r.s.limits
	if meta.Prompt < 0 || meta.Prompt > len(f.Body) || meta.Prompt > limits.Prompt || len(meta.Options) > 1<<20 {
		return c, "a prompt that is too long"
	}
	c = Call{
		Cell: r.number, Impl: short(meta.Impl, maxName), Tool: short(meta.Tool, maxName),
		Options: meta.Options, Body: f.Body[:meta.Prompt:meta.Prompt], Batch: meta.Batch,
	}
	rest := f.Body[meta.Prompt:]
	if len(rest) > limits.Text {
		return c, "a text that is too long"
	}
	for _, t := range meta.Texts {
		switch {
		case t.Size < 0 || t.Offset < 0:
			return c, "a text of negative size"
		case t.InContext && t.Offset > r.s.text.context.Size-t.Size:
			return c, "a text outside of the context"
		case t.InContext:
			c.Text = append(c.Text, TextArg{InContext: true, Offset: t.Offset, Size: t.Size})
		case t.Size > int64(len(rest)):
			return c, "a text that is longer than its frame"
		default:
			c.Text = append(c.Text, TextArg{Bytes: rest[:t.Size:t.Size]})
			rest = rest[t.Size:]
		}
	}
	c.Hash = c.key()
	return c, ""
}

// key hashes a call's content. The place in a batch belongs to it, so that equal prompts of one batch keep their own answers when
// they are asked again in another order.
func (c Call) key() string {
	h := sha256.New()
	writePart(h, []byte(c.Impl))
	writePart(h, []byte(c.Tool))
	writePart(h, c.Options)
	writePart(h, c.Body)
	for _, t := range c.Text {
		if t.InContext {
			writePart(h, fmt.Appendf(nil, "range %d %d", t.Offset, t.Size))
		} else {
			writePart(h, t.Bytes)
		}
	}
	if c.Batch.Size > 0 {
		writePart(h, fmt.Appendf(nil, "batch %d", c.Batch.Index))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func writePart(h hash.Hash, p []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(p)))
	h.Write(n[:])
	h.Write(p)
}
