package sandbox

import (
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// pendingCall is a call that is being answered. It outlives the worker that made it if the cell begins again in
// another one, which repeats the call.
type pendingCall struct {
	record CallRecord
	to     *process // the worker that waits for the reply; nil if it is gone and no other has repeated the call yet
	id     uint64   // id of the frame with the call
}

// recordKey identifies a call of a cell.
type recordKey struct {
	hash string
	n    int
}

func (c CallRecord) key() recordKey { return recordKey{c.Hash, c.N} }

// answer gets a reply with get and sends it. The call counts as answered before the worker receives the reply, and
// as finished once the worker has read it. The caller holds mu.
func (r *cellRun) answer(f *pendingCall, get func() Reply) {
	r.lease.calls.Add(1)
	r.s.handlers.Add(1)
	go func() {
		defer r.s.handlers.Done()
		f.record.Reply = get()
		r.calls.order.send(f.record.Reply.Order, func() {
			if to := r.settle(f); to != nil {
				r.reply(to, f.id, wire.ReplyMeta{
					Error: f.record.Reply.Error, Unwind: f.record.Reply.Unwind,
					Place: f.record.place,
				}, f.record.Reply.Body)
				r.sent()
			}
		})
	}()
}

// later notifies the worker of a cell that runs again that the reply to a call is not recorded. The caller holds
// mu.
func (r *cellRun) later(id uint64) {
	to := r.p
	r.s.handlers.Add(1)
	go func() {
		defer r.s.handlers.Done()
		r.reply(to, id, wire.ReplyMeta{Later: true}, nil)
	}()
}

func (r *cellRun) reply(to *process, id uint64, meta wire.ReplyMeta, body []byte) {
	to.gate.replying()
	defer to.gate.replied()
	// An error means that the worker is gone, which the cell's wait has noticed.
	_ = to.conn.Send(wire.Header{Op: wire.Reply, ID: id, Cell: r.number}, meta, body)
}

// settle records a reply and returns the worker that waits for it, if there is one.
func (r *cellRun) settle(f *pendingCall) (to *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lease.calls.Add(-1)
	if r.calls.flights[f.record.key()] == f {
		delete(r.calls.flights, f.record.key())
	}
	switch {
	case r.calls.closed:
		return nil
	case f.to == nil: // the cell has begun again and will repeat the call
		r.calls.enter(f.record)
		return nil
	case f.to != r.p: // a recorded reply for a worker that is gone
		return nil
	}
	if r.calls.inFlight--; r.calls.inFlight == 0 {
		r.clock.read(true)
	}
	r.calls.sending++ // the worker waits until the reply arrives
	if f.record.Reply.Unwind && r.calls.unwind == nil {
		r.calls.unwind = &f.record.Reply.Error
	}
	r.calls.answered = append(r.calls.answered, f.record)
	return f.to
}

// sent notes that the worker has read a reply, or is gone.
func (r *cellRun) sent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.sending--
	r.calls.stirs++
}

// enter appends an answered call to the record.
func (b *callTable) enter(c CallRecord) {
	b.places++
	c.place, c.Reply.Order = b.places, 0
	b.recorded[c.key()] = c
}

// rewind prepares the table for the cell to begin again: it records the answered calls; the replies of pending
// calls go to the next worker.
func (b *callTable) rewind() {
	for _, c := range b.inOrder() {
		if c.place == 0 {
			b.enter(c)
		}
	}
	for _, f := range b.flights {
		f.to = nil
	}
	b.known = len(b.recorded) + len(b.flights)
	b.answered, b.inFlight, b.unwind, b.clock, b.fired = nil, 0, nil, nil, nil
	clear(b.counts)
}

// closeCalls closes the table: later replies are not sent.
func (r *cellRun) closeCalls() {
	r.calls.order.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.closed = true
	r.lease.calls.Add(-int64(len(r.calls.missed))) // these calls will not be answered
}
