package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// calls is the builtins.Host of a worker: it sends calls to the host process and delivers the replies. Between
// cells it rejects calls, which cost money, so that goroutines of an earlier cell cannot make any.
type calls struct {
	conn   *wire.Conn
	bounds wire.Bounds
	text   *mapping
	marks  *marks
	// notebook delivers replies. It is set before the first cell.
	notebook *repl.Notebook
	slots    chan struct{} // one for each call in flight
	queue    chan request  // received by the goroutine that sends them

	mu      sync.Mutex
	cell    int
	clock   int           // clock readings already sent with calls
	fired   int           // fired timers already sent with calls
	shut    bool          // no cell runs
	over    chan struct{} // closed when the cell is over
	last    uint64
	waiting map[uint64]chan reply
}

// request is a call to be sent. One goroutine sends all calls: encoding takes more stack than a cell's goroutine
// has, and ten thousand goroutines would keep their grown stacks.
type request struct {
	cell   int
	call   builtins.Call
	answer chan reply
	failed chan error
}

type reply struct {
	meta wire.ReplyMeta
	body []byte
}

// unwindError is builtins.ErrUnwind with a reason.
type unwindError struct{ why string }

func (e unwindError) Error() string        { return e.why }
func (e unwindError) Is(target error) bool { return target == builtins.ErrUnwind }

// divergedError is builtins.ErrAstray with a reason.
type divergedError struct{ unwindError }

func (e divergedError) Is(target error) bool {
	return target == builtins.ErrAstray || e.unwindError.Is(target)
}

func newCalls(conn *wire.Conn, bounds wire.Bounds, text *mapping, marks *marks) *calls {
	over := make(chan struct{})
	close(over)
	c := &calls{
		conn: conn, bounds: bounds, text: text, marks: marks, over: over,
		shut:    true,
		slots:   make(chan struct{}, bounds.InFlight),
		queue:   make(chan request),
		waiting: make(map[uint64]chan reply),
	}
	go c.sender() // never ends
	return c
}

func (c *calls) sender() {
	for r := range c.queue {
		if err := c.send(r); err != nil {
			c.notebook.Later()
			r.failed <- err
		}
	}
}

// begin accepts the calls of a cell. There are additional slots for the recorded replies of a cell that runs again,
// so that it does not wait before it repeats those calls.
func (c *calls) begin(cell, recorded int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cell, c.clock, c.fired = cell, 0, 0
	c.slots = make(chan struct{}, c.bounds.InFlight+recorded)
	c.over = make(chan struct{})
	c.shut = false
}

// end rejects later calls and makes all waiting calls return.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.over)
	c.shut = true
	clear(c.waiting)
}

// final sends the running cell's answer.
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
	c.marks.send(cell, open) // before the answer, which may cite them
	return c.conn.SendNext(wire.Header{Op: wire.Final, Cell: cell}, open, meta, answer)
}

// errShut is the error of calls whose cell is over.
var errShut = unwindError{"the cell is over: nothing can be called any more"}

// Call implements builtins.Host.
func (c *calls) Call(ctx context.Context, call builtins.Call) ([]byte, error) {
	c.mu.Lock()
	r := request{cell: c.cell, call: call}
	over, slots := c.over, c.slots
	c.mu.Unlock()
	if ctx.Err() != nil { // a call from a goroutine of an earlier cell
		return nil, unwindError{context.Cause(ctx).Error()}
	}
	select {
	case <-over:
		return nil, errShut
	default:
	}
	select {
	case slots <- struct{}{}:
	case <-over:
		return nil, errShut
	case <-ctx.Done():
		return nil, unwindError{context.Cause(ctx).Error()}
	}
	defer func() { <-slots }()
	r.answer, r.failed = make(chan reply, 1), make(chan error, 1)
	c.notebook.Asked()
	c.queue <- r
	select {
	case a := <-r.answer:
		return unpack(a)
	case err := <-r.failed:
		return nil, err
	case <-over:
		return nil, errShut
	case <-ctx.Done():
		return nil, unwindError{context.Cause(ctx).Error()}
	}
}

func (c *calls) send(r request) error {
	meta, body, err := c.pack(r.call)
	if err != nil {
		return err
	}
	// next checks once more that the cell is still running, while no other frame can be sent: no call may arrive
	// after its cell's result.
	next := func() (uint64, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cell != r.cell || c.shut {
			return 0, errShut
		}
		c.last++
		c.waiting[c.last] = r.answer
		return c.last, nil
	}
	c.tell(&meta)
	c.marks.send(r.cell, func() (uint64, error) { return 0, c.during(r.cell) })
	if err := c.conn.SendNext(wire.Header{Op: wire.Call, Cell: r.cell}, next, meta, body); err != nil {
		return unwindError{err.Error()}
	}
	return nil
}

// tell adds to a call what the cell received since its last call, so that its host can repeat the cell up to here.
func (c *calls) tell(meta *wire.CallMeta) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clock, fired := c.notebook.Given()
	clock, fired = wire.CutClock(clock[min(c.clock, len(clock)):]), wire.CutFires(fired[min(c.fired, len(fired)):])
	meta.Clock, meta.Fired = wire.PackClock(clock), wire.PackFires(fired)
	c.clock, c.fired = c.clock+len(clock), c.fired+len(fired)
}

// untold adds to a report what the cell has received but no call has reported yet.
func (c *calls) untold(meta *wire.PeekMeta) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clock, fired := c.notebook.Given()
	meta.ClockFrom, meta.FiredFrom = min(c.clock, len(clock)), min(c.fired, len(fired))
	meta.Clock, meta.Fired = wire.PackClock(wire.CutClock(clock[meta.ClockFrom:])),
		wire.PackFires(wire.CutFires(fired[meta.FiredFrom:]))
}

// open reports whether a cell runs.
func (c *calls) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.shut
}

// during returns an error if the cell is over.
func (c *calls) during(cell int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cell != cell || c.shut {
		return errShut
	}
	return nil
}

// deliver accepts a reply. The notebook passes it to the goroutine that waits for it, in the order of the record.
func (c *calls) deliver(id uint64, meta wire.ReplyMeta, body []byte) {
	if meta.Later {
		c.notebook.Later()
		return
	}
	c.mu.Lock()
	answer := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if answer != nil {
		c.notebook.Reply(meta.Place, func() { answer <- reply{meta, body} })
	}
}

func unpack(r reply) ([]byte, error) {
	switch {
	case r.meta.Astray:
		return nil, divergedError{unwindError{r.meta.Error}}
	case r.meta.Unwind && r.meta.Error == "":
		return nil, builtins.ErrUnwind
	case r.meta.Unwind:
		return nil, unwindError{r.meta.Error}
	case r.meta.Error != "":
		return nil, errors.New(r.meta.Error)
	}
	return r.body, nil
}

// pack encodes a call as a frame. Text that is a slice of the context is sent as a range, which takes no space.
func (c *calls) pack(call builtins.Call) (wire.CallMeta, []byte, error) {
	if len(call.Body) > c.bounds.Prompt {
		return wire.CallMeta{}, nil,
			fmt.Errorf("the prompt has %s, but one call takes at most %s: split the text and ask about the parts",
				units.Bytes(int64(len(call.Body))), units.Binary(int64(c.bounds.Prompt)))
	}
	meta := wire.CallMeta{
		Impl: call.Impl, Tool: call.Tool, Options: call.Options, Batch: call.Batch,
		Prompt: len(call.Body),
	}
	if len(call.Options) > maxOptions {
		return wire.CallMeta{}, nil, fmt.Errorf(
			"the options (system prompt, format) have %s; at most %s are taken: put long text into the prompt",
			units.Bytes(int64(len(call.Options))), units.Binary(maxOptions))
	}
	if len(call.Text) == 0 {
		return meta, call.Body, nil
	}
	own, err := c.measure(call.Text)
	if err != nil {
		return wire.CallMeta{}, nil, err
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

// maxOptions bounds the options of a call, which travel in the meta part of its frame.
const maxOptions = 32 << 10

// measure returns how many bytes of the texts have to be sent, or an error if there are too many texts or bytes. A
// single slice of the context may have any size; anything else is joined into a new text, and counts.
func (c *calls) measure(texts []string) (own int, err error) {
	if len(texts) > wire.MaxTexts {
		return 0, fmt.Errorf("%d texts are too many, at most %d can be passed: join some", len(texts), wire.MaxTexts)
	}
	all := 0
	for _, t := range texts {
		if _, in := c.text.find(t); !in {
			own += len(t)
		} else if len(texts) == 1 {
			return 0, nil
		}
		if all += len(t); all > c.bounds.Text {
			what := "the text has"
			if len(texts) > 1 {
				what = "the texts together have"
			}
			return 0, fmt.Errorf("%s more than %s, which is the most that can be handed on, unless it is a single slice of context "+
				"(context[a:b]), which may have any size", what, units.Binary(int64(c.bounds.Text)))
		}
	}
	return own, nil
}
