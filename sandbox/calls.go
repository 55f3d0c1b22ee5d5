package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// callTable is the host's view of the calls of a running cell.
type callTable struct {
	closed   bool
	inFlight int            // calls without a reply
	sending  int            // replies that the worker has not read yet
	stirs    int            // counts calls received and replies sent
	counts   map[string]int // calls by hash
	answered []CallRecord
	recorded map[recordKey]CallRecord   // calls of an earlier run of the cell
	places   int                        // number of calls recorded so far
	flights  map[recordKey]*pendingCall // calls being answered
	known    int                        // number of recorded calls and flights when the cell began
	missed   []uint64                   // calls of a replay that are not in the record
	missing  string                     // the first missed call, for messages
	astray   string                     // how the replay differs; set when the cell is ended for that
	unwind   *string                    // why the cell was asked to end
	order    *replyQueue
	clock    []int64 // clock readings that calls have reported so far
	fired    []repl.Fire
}

const (
	mostGiven    = 100_000 // most clock readings, and most timers, accepted with the calls of a cell
	missingShown = 80      // characters of an unrecorded call that a message quotes
)

func newCallTable(recorded []CallRecord) callTable {
	b := callTable{
		counts: make(map[string]int), order: newReplyQueue(), places: len(recorded), known: len(recorded),
		recorded: make(map[recordKey]CallRecord, len(recorded)), flights: make(map[recordKey]*pendingCall),
	}
	for i, c := range recorded {
		c.place, c.Reply.Order = i+1, 0 // Reply.Order is 0 because fewer calls this time would leave gaps
		b.recorded[c.key()] = c
	}
	return b
}

// waitedFor returns the number of replies that the worker waits for.
func (b *callTable) waitedFor() int { return b.inFlight + b.sending }

// call accepts a call from the worker and answers it in the background.
func (r *cellRun) call(ctx context.Context, f wire.Frame) (violation string) {
	if f.ID <= r.p.lastID {
		return "calls out of order"
	}
	r.p.lastID = f.ID
	c, why := r.readCall(f)
	if why != "" {
		f.Release()
		return why
	}
	release := f.Release // the closure must not keep the frame alive
	ctx = context.WithValue(ctx, releaseKey{}, release)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls.inFlight >= r.s.limits.InFlight+r.calls.known {
		return "more calls in flight than are allowed"
	}
	c.N = r.calls.counts[c.Hash]
	r.calls.counts[c.Hash]++
	if r.calls.inFlight == 0 {
		r.clock.read(false)
	}
	r.calls.inFlight++
	r.calls.stirs++
	record := CallRecord{Hash: c.Hash, N: c.N}
	if known, ok := r.calls.recorded[record.key()]; ok {
		release()
		r.answer(&pendingCall{record: known, to: r.p, id: f.ID}, func() Reply { return known.Reply })
		return ""
	}
	if r.again() {
		r.later(f.ID)
	}
	if under, ok := r.calls.flights[record.key()]; ok {
		release()
		under.to, under.id = r.p, f.ID
		return ""
	}
	if r.replay {
		r.lease.calls.Add(1)
		release()
		r.miss(f.ID, c)
		return ""
	}
	over := r.final != nil
	begun := &pendingCall{record: record, to: r.p, id: f.ID}
	r.calls.flights[record.key()] = begun
	r.answer(begun, func() Reply {
		defer release()
		switch {
		case over:
			return Reply{Unwind: true, Error: "the answer is given"}
		case r.s.cfg.Call == nil:
			return Reply{Error: "nobody answers calls here"}
		}
		made := c
		c = Call{} // frees its texts while the call runs
		return r.s.cfg.Call(ctx, made)
	})
	return ""
}

// miss notes a call of a replay that is not in the record. That is harmless if the cell ends without waiting for
// the reply, as it may have done the first time. The caller holds mu.
func (r *cellRun) miss(id uint64, c Call) {
	if r.calls.astray != "" {
		r.unwindMissed(id)
		return
	}
	if len(r.calls.missed) == 0 {
		r.calls.missing = text.Line(string(c.Body), missingShown)
	}
	r.calls.missed = append(r.calls.missed, id)
}

// unwindMissed replies to a missed call by unwinding the cell, which ends it. The caller holds mu.
func (r *cellRun) unwindMissed(id uint64) {
	r.lease.calls.Add(-1)
	r.calls.inFlight--
	r.calls.sending++
	why, to := r.calls.astray, r.p
	r.s.handlers.Add(1)
	go func() {
		defer r.s.handlers.Done()
		r.reply(to, id, wire.ReplyMeta{Unwind: true, Astray: true, Error: why}, nil)
		r.sent()
	}()
}

// inOrder lists the answered calls in the order in which the cell received the replies, beginning with those that
// were recorded in an earlier run.
func (b *callTable) inOrder() []CallRecord {
	list := slices.Clone(b.answered)
	slices.SortStableFunc(list, func(x, y CallRecord) int {
		return cmp.Compare(uint(x.place-1), uint(y.place-1))
	})
	return list
}

// readCall checks a call and computes its key.
func (r *cellRun) readCall(f wire.Frame) (c Call, violation string) {
	var meta wire.CallMeta
	if err := r.p.decode(f, &meta); err != nil {
		return c, err.Error()
	}
	if meta.Prompt < 0 || meta.Prompt > len(f.Body) || meta.Prompt > r.s.limits.Prompt {
		return c, "a prompt that is too long"
	}
	if !isName(meta.Impl) || meta.Tool != "" && !isName(meta.Tool) || !isPlace(meta.Batch) {
		return c, "a call that makes no sense"
	}
	prompt, rest := f.Body[:meta.Prompt:meta.Prompt], f.Body[meta.Prompt:]
	if len(rest) > 0 {
		prompt = bytes.Clone(prompt) // a copy, which does not keep the texts alive
	}
	c = Call{
		Cell: r.number, Impl: meta.Impl, Tool: meta.Tool, Options: bytes.Clone(meta.Options), Body: prompt,
		Batch: meta.Batch,
	}
	if c.Text, violation = r.readTexts(meta.Texts, rest); violation != "" {
		return c, violation
	}
	c.Hash = c.key()
	c.Clock, c.Fired = r.calls.given(meta)
	return c, ""
}

// given adds the clock readings and the timers that a call reports.
func (b *callTable) given(meta wire.CallMeta) ([]int64, []repl.Fire) {
	if len(b.clock) < mostGiven {
		b.clock = append(b.clock, wire.UnpackClock(meta.Clock)...)
	}
	if len(b.fired) < mostGiven {
		b.fired = append(b.fired, wire.UnpackFires(meta.Fired)...)
	}
	return b.clock[:len(b.clock):len(b.clock)], b.fired[:len(b.fired):len(b.fired)]
}

// isPlace reports whether b is a valid position in a batch, or the zero value, which means outside of a batch.
func isPlace(b builtins.Batch) bool {
	return b == builtins.Batch{} || b.ID >= 0 && b.Index >= 0 && b.Index < b.Size && b.Size <= maxCalls
}

// readTexts resolves a call's texts. A single range of the context may have any size, because it is not copied;
// anything else counts towards the limit.
func (r *cellRun) readTexts(list []wire.CallText, own []byte) (texts []TextArg, violation string) {
	if len(list) > wire.MaxTexts {
		return nil, "too many texts"
	}
	sum := int64(0)
	for _, t := range list {
		switch {
		case t.Size < 0 || t.Offset < 0:
			return nil, "a text of negative size"
		case t.InContext && t.Offset > r.s.text.context.Size-t.Size:
			return nil, "a text outside of the context"
		case t.InContext:
			texts = append(texts, TextArg{InContext: true, Offset: t.Offset, Size: t.Size})
		case t.Size > int64(len(own)):
			return nil, "a text that is longer than its frame"
		default:
			texts = append(texts, TextArg{Bytes: own[:t.Size:t.Size]})
			own = own[t.Size:]
		}
		if sum += t.Size; sum > int64(r.s.limits.Text) && !(len(list) == 1 && t.InContext) {
			return nil, "texts that are too long"
		}
	}
	return texts, ""
}

// key hashes a call's content, including its index in a batch: equal prompts of one batch keep their own replies
// when they are repeated in another order.
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
