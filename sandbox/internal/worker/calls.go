package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// calls is the builtins.Host of a worker: it carries calls to the host process and replies back. Between cells the
// gate is shut, so that a goroutine that a cell left behind cannot spend anything.
type calls struct {
	conn   *wire.Conn
	bounds wire.Bounds
	text   *mapping
	slots  chan struct{} // one for each call in flight

	mu      sync.Mutex
	cell    int
	shut    bool          // no cell runs
	over    chan struct{} // closed when the cell is over
	last    uint64
	waiting map[uint64]chan reply
}

type reply struct {
	meta wire.ReplyMeta
	body []byte
}

// unwound is builtins.ErrUnwind with a reason.
type unwound struct{ why string }

func (e unwound) Error() string        { return e.why }
func (e unwound) Is(target error) bool { return target == builtins.ErrUnwind }

func newCalls(conn *wire.Conn, bounds wire.Bounds, text *mapping) *calls {
	over := make(chan struct{})
	close(over)
	return &calls{
		conn: conn, bounds: bounds, text: text, over: over,
		shut:    true,
		slots:   make(chan struct{}, bounds.InFlight),
		waiting: make(map[uint64]chan reply),
	}
}

// begin opens the gate for a cell.
func (c *calls) begin(cell int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cell = cell
	c.over = make(chan struct{})
	c.shut = false
}

// end shuts the gate and lets every waiting call return.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.over)
	c.shut = true
	clear(c.waiting)
}

// final sends the answer that the running cell gave.
func (c *calls) final(meta any, answer []byte) error {
	c.mu.Lock()
	cell := c.cell
	c.mu.Unlock()
	open := func() (uint64, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cell != cell || c.shut {
			return 0, errors.New("the cell is over: an answer comes too late")
		}
		return 0, nil
	}
	return c.conn.SendNext(wire.Header{Op: wire.Final, Cell: cell}, open, meta, answer)
}

// Call implements builtins.Host.
func (c *calls) Call(ctx context.Context, call builtins.Call) ([]byte, error) {
	meta, body, err := c.pack(call)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	cell, over := c.cell, c.over
	c.mu.Unlock()
	shut := unwound{"the cell is over: nothing can be called any more"}
	select {
	case <-over:
		return nil, shut
	default:
	}
	select {
	case c.slots <- struct{}{}:
	case <-over:
		return nil, shut
	case <-ctx.Done():
		return nil, unwound{context.Cause(ctx).Error()}
	}
	defer func() { <-c.slots }()
	answer := make(chan reply, 1)
	// The gate is asked again while nothing else can be sent: no call may arrive after its cell's result.
	next := func() (uint64, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cell != cell || c.shut {
			return 0, shut
		}
		c.last++
		c.waiting[c.last] = answer
		return c.last, nil
	}
	if err := c.conn.SendNext(wire.Header{Op: wire.Call, Cell: cell}, next, meta, body); err != nil {
		return nil, unwound{err.Error()}
	}
	select {
	case r := <-answer:
		return c.unpack(r)
	case <-over:
		return nil, shut
	case <-ctx.Done():
		return nil, unwound{context.Cause(ctx).Error()}
	}
}

func (c *calls) deliver(id uint64, meta wire.ReplyMeta, body []byte) {
	c.mu.Lock()
	answer := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if answer != nil {
		answer <- reply{meta, body}
	}
}

func (c *calls) unpack(r reply) ([]byte, error) {
	switch {
	case r.meta.Unwind && r.meta.Error == "":
		return nil, builtins.ErrUnwind
	case r.meta.Unwind:
		return nil, unwound{r.meta.Error}
	case r.meta.Error != "":
		return nil, errors.New(r.meta.Error)
	}
	return r.body, nil
}

// pack lays a call out as a frame. Text that is a piece of the context travels as a range, which costs nothing.
func (c *calls) pack(call builtins.Call) (wire.CallMeta, []byte, error) {
	if len(call.Body) > c.bounds.Prompt {
		return wire.CallMeta{}, nil, fmt.Errorf("the prompt has %s; at most %s go into one call: split the text and ask about the parts",
			bytesText(len(call.Body)), bytesText(c.bounds.Prompt))
	}
	meta := wire.CallMeta{Impl: call.Impl, Tool: call.Tool, Options: call.Options, Batch: call.Batch, Prompt: len(call.Body)}
	if len(call.Text) == 0 {
		return meta, call.Body, nil
	}
	own := 0
	for _, t := range call.Text {
		if _, in := c.text.find(t); !in {
			own += len(t)
		}
	}
	if own > c.bounds.Text {
		return wire.CallMeta{}, nil, fmt.Errorf("the text has %s; at most %s can be handed on, unless it is a slice of context (context[a:b]), which may have any size",
			bytesText(own), bytesText(c.bounds.Text))
	}
	body := make([]byte, 0, len(call.Body)+own)
	body = append(body, call.Body...)
	for _, t := range call.Text {
		offset, in := c.text.find(t)
		meta.Texts = append(meta.Texts, wire.CallText{InContext: in, Offset: offset, Size: int64(len(t))})
		if !in {
			body = append(body, t...)
		}
	}
	return meta, body, nil
}
