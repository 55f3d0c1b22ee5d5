package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/trajectory"
)

// call is a sub-call. Its long texts are loaded from disk only when needed.
type call struct {
	Call          // Status, Prompt and Reply are set only in the copies that Calls returns
	prompt, reply trajectory.Text
	paid          trajectory.Cost
	cell          *cell
	span          *Span
}

// Call is a sub-call for display. Prompt and Reply are the beginnings of its texts.
type Call struct {
	Seq        int64            `json:"seq"`
	Ended      int64            `json:"ended,omitempty"` // number of the event that ended it
	Status     string           `json:"status"`          // running, done, failed, stopped
	Index      int              `json:"index"`           // position in its batch
	Batch      int              `json:"batch"`
	Size       int              `json:"size"`
	Impl       string           `json:"impl"`
	Tool       string           `json:"tool,omitempty"`
	Model      string           `json:"model,omitempty"`
	Prompt     string           `json:"prompt"`
	PromptSize int64            `json:"prompt_size"`
	Reply      string           `json:"reply,omitempty"`
	ReplySize  int64            `json:"reply_size"`
	Error      string           `json:"error,omitempty"`
	ErrorKind  string           `json:"error_kind,omitempty"`
	Child      string           `json:"child,omitempty"` // path of the child run that it started
	Tokens     int64            `json:"tokens"`          // including the child run's, like Cost
	Usage      trajectory.Usage `json:"usage"`
	Cost       *float64         `json:"cost"`
	Cached     bool             `json:"cached,omitempty"`
	Duration   time.Duration    `json:"duration"`
	Attempts   int              `json:"attempts,omitempty"`
	Started    time.Time        `json:"started"`
}

// The states of sub-calls. A sub-call is stopped if its cell or question has ended, so that its reply can no longer
// arrive.
const (
	running = "running"
	done    = "done"
	failed  = "failed"
	stopped = "stopped"
)

func (b *Projection) begin(ev trajectory.Event, d trajectory.SubCallStarted) {
	c := b.cellAt(cellKey{ev.Path, d.Cell})
	span := b.spans.begin(ev, b.run, c.span, "call", cmp.Or(d.Tool, d.Impl))
	span.Cell, span.Model = d.Cell, d.Model
	k := d.Key(ev.Path)
	if before := b.open[k]; before != nil { // a resumed run logs the start of the call again
		before.span = span
		return
	}
	n := &call{
		Call: Call{
			Seq: ev.Seq, Index: d.Index, Batch: d.Batch, Size: d.Size, Impl: d.Impl, Tool: d.Tool, Model: d.Model,
			PromptSize: d.Prompt.Size(), Child: d.Child, Started: ev.Time,
		},
		prompt: d.Prompt, cell: c, span: span,
	}
	b.open[k] = n
	if d.Child != "" {
		b.childOf[d.Child] = n
		c.tally.Children++
	}
	if d.Size > 0 {
		c.sizes[d.Batch] = d.Size
	} else {
		c.sizes[-len(c.calls)-1] = 1 // a call outside of batches counts as a batch of one
	}
	c.calls = append(c.calls, n)
	c.tally.Started++
	if c.tally.First.IsZero() {
		c.tally.First = ev.Time
	}
	b.touch(c)
}

func (b *Projection) end(ev trajectory.Event, d trajectory.SubCallEnded) {
	k := d.Key(ev.Path)
	n := b.open[k]
	if n == nil {
		return
	}
	delete(b.open, k)
	n.Ended, n.reply, n.ReplySize, n.Error, n.ErrorKind, n.Usage = ev.Seq, d.Reply, d.Reply.Size(), d.Error,
		d.ErrorKind, d.Usage
	n.Cached, n.Duration, n.Attempts = d.Cached, d.Duration, d.Attempts
	n.Model = cmp.Or(d.Model, n.Model)
	c := n.cell
	c.tally.Ended++
	c.tally.Last = ev.Time
	if d.Error != "" {
		c.tally.Failed++
	}
	if d.Cached {
		c.tally.Cached++
	}
	u, paid := ev.Usage()
	if paid {
		n.pay(u)
		c.pay(u)
		b.pay(ev.Path, u)
		b.spent.SubCalls++
	}
	if paid || d.Cached {
		n.span.used(d.Model, u, d.Attempts)
	}
	n.span.end(ev.Time, d.Error)
	b.touch(c)
}

func (c *call) pay(u trajectory.Usage) {
	c.Tokens += u.Tokens()
	c.paid.Add(u)
}

// status returns the state of a sub-call; live means that the session is active.
func (b *Projection) status(c *call, live bool) string {
	switch {
	case c.Ended == 0 && live && !b.over(c.cell):
		return running
	case c.Ended == 0:
		return stopped
	case c.Error != "":
		return failed
	}
	return done
}

// CallQuery selects sub-calls of a cell.
type CallQuery struct {
	Path   string
	Cell   int
	Status string // empty: all
	Sort   string // index, duration, tokens, cost; a leading - means descending
	Offset int
	Limit  int
	Live   bool // the session is active: calls without an end may be running
}

// Calls returns sub-calls of a cell, the tally of the cell, and the number of calls with the requested status.
func (b *Projection) Calls(w CallQuery) (calls []Call, tally Tally, total int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.update(); err != nil {
		return nil, tally, 0, err
	}
	c := b.cells[cellKey{w.Path, w.Cell}]
	if c == nil || len(c.calls) == 0 {
		return []Call{}, Tally{Cell: w.Cell, Path: w.Path}, 0, nil
	}
	all := slices.Clone(c.calls)
	if w.Status != "" {
		all = slices.DeleteFunc(all, func(n *call) bool { return b.status(n, w.Live) != w.Status })
	}
	if err := sortCalls(all, w.Sort); err != nil {
		return nil, tally, 0, err
	}
	from := min(max(w.Offset, 0), len(all))
	calls = []Call{}
	for _, n := range all[from:min(len(all), from+w.Limit)] {
		calls = append(calls, n.told(b.status(n, w.Live)))
	}
	tally = c.told()
	if w.Live && !b.over(c) {
		tally.Running = tally.Started - tally.Ended
	}
	return calls, tally, len(all), nil
}

// sortCalls sorts calls in the order in which they began.
func sortCalls(calls []*call, by string) error {
	trajectory.InOrder(calls, func(c *call) (int, int) { return c.Batch, c.Index })
	name, down := strings.CutPrefix(by, "-")
	switch compare, ok := map[string]func(a, b *call) int{
		"duration": func(a, b *call) int { return cmp.Compare(a.Duration, b.Duration) },
		"tokens":   func(a, b *call) int { return cmp.Compare(a.Tokens, b.Tokens) },
		"cost":     func(a, b *call) int { return cmp.Compare(a.paid.USD, b.paid.USD) },
	}[name]; {
	case ok && down:
		slices.SortStableFunc(calls, func(a, b *call) int { return compare(b, a) })
	case ok:
		slices.SortStableFunc(calls, compare)
	case name != "" && name != "index":
		return fmt.Errorf("sort by index, duration, tokens or cost, not by %q", by)
	case down:
		slices.Reverse(calls)
	}
	return nil
}

func (c *call) told(status string) Call {
	out := c.Call
	out.Status, out.Prompt, out.Reply = status, beginning(c.prompt), beginning(c.reply)
	if c.paid.Known {
		out.Cost = c.paid.Full()
	}
	return out
}

// beginning returns the part of a text that a list shows.
func beginning(t trajectory.Text) string {
	const most = 300
	all, err := t.Load()
	if err != nil {
		return t.String() // a note that the text is missing
	}
	return strings.ToValidUTF8(text.Short(all, most), "\uFFFD")
}
