package past

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// call is a sub-call, with no more of its texts than stands in its lines.
type call struct {
	seq, ended          int64
	index, batch, size  int
	impl, tool, model   string
	prompt, reply       trajectory.Text
	err, errKind, child string
	usage               trajectory.Usage
	tokens              int64
	cost                float64
	priced, unpriced    bool
	cached              bool
	attempts            int
	began               time.Time
	duration            time.Duration
}

// Call is a sub-call as it is told. Prompt and Reply are the beginnings of its texts.
type Call struct {
	Seq        int64            `json:"seq"`
	Ended      int64            `json:"ended,omitempty"` // the event that ended it
	Status     string           `json:"status"`          // running, done, failed
	Index      int              `json:"index"`           // in its batch
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
	Child      string           `json:"child,omitempty"` // path of its child run
	Tokens     int64            `json:"tokens"`          // with those of the child run, like Cost
	Usage      trajectory.Usage `json:"usage"`
	Cost       *float64         `json:"cost"`
	Cached     bool             `json:"cached,omitempty"`
	Duration   time.Duration    `json:"duration"`
	Attempts   int              `json:"attempts,omitempty"`
	Started    time.Time        `json:"started"`
}

// The states of sub-calls.
const (
	running = "running"
	done    = "done"
	failed  = "failed"
)

func (b *Book) begin(ev trajectory.Event, d trajectory.SubCallStarted) {
	c := b.cellAt(place{ev.Path, d.Cell})
	k := key{place{ev.Path, d.Cell}, d.Hash, d.N}
	if b.open[k] != nil { // a run that resumes announces it again
		return
	}
	n := &call{
		seq: ev.Seq, index: d.Index, batch: d.Batch, size: d.Size, impl: d.Impl, tool: d.Tool, model: d.Model, prompt: d.Prompt, child: d.Child, began: ev.Time,
	}
	b.open[k] = n
	if d.Child != "" {
		b.childOf[d.Child] = n
		c.tally.Children++
	}
	if d.Size > 0 {
		c.sizes[d.Batch] = d.Size
	} else {
		c.sizes[-len(c.calls)-1] = 1 // a call by itself
	}
	c.calls = append(c.calls, n)
	c.tally.Started++
	if c.tally.First.IsZero() {
		c.tally.First = ev.Time
	}
	b.touch(c)
}

func (b *Book) end(ev trajectory.Event, d trajectory.SubCallEnded) {
	k := key{place{ev.Path, d.Cell}, d.Hash, d.N}
	c, n := b.cellAt(k.place), b.open[k]
	if n == nil {
		return
	}
	delete(b.open, k)
	n.ended, n.reply, n.err, n.errKind, n.usage = ev.Seq, d.Reply, d.Error, d.ErrorKind, d.Usage
	n.cached, n.duration, n.attempts = d.Cached, d.Duration, d.Attempts
	n.model = cmp.Or(d.Model, n.model)
	c.tally.Ended++
	c.tally.Last = ev.Time
	if d.Error != "" {
		c.tally.Failed++
	}
	if d.Cached {
		c.tally.Cached++
	}
	if d.Usage != (trajectory.Usage{}) { // that of a child run stands in its own events
		n.pay(d.Usage)
		c.pay(d.Usage)
		b.pay(ev.Path, d.Usage)
		b.spent.SubCalls++
	}
	b.touch(c)
}

func (c *call) pay(u trajectory.Usage) {
	c.tokens += u.Prompt + u.Completion
	if u.Cost != nil {
		c.cost += *u.Cost
		c.priced = true
	} else if u.Prompt+u.Completion > 0 {
		c.unpriced = true
	}
}

func (c *call) status() string {
	switch {
	case c.ended == 0:
		return running
	case c.err != "":
		return failed
	}
	return done
}

// Which says which sub-calls of a cell are wanted.
type Which struct {
	Path   string
	Cell   int
	Status string // empty: all
	Sort   string // index, duration, tokens, cost; - in front: the largest first
	Offset int
	Limit  int
}

// Calls are sub-calls of a cell.
func (b *Book) Calls(w Which) (calls []Call, tally Tally, total int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.update(); err != nil {
		return nil, tally, 0, err
	}
	c := b.cells[place{w.Path, w.Cell}]
	if c == nil {
		return []Call{}, Tally{Cell: w.Cell, Path: w.Path}, 0, nil
	}
	all := slices.Clone(c.calls)
	if w.Status != "" {
		all = slices.DeleteFunc(all, func(n *call) bool { return n.status() != w.Status })
	}
	less, err := order(w.Sort)
	if err != nil {
		return nil, tally, 0, err
	}
	slices.SortStableFunc(all, less)
	from := min(max(w.Offset, 0), len(all))
	calls = []Call{}
	for _, n := range all[from:min(len(all), from+w.Limit)] {
		calls = append(calls, n.told())
	}
	return calls, c.told(), len(all), nil
}

// order compares sub-calls by what they are sorted by.
func order(by string) (func(a, b *call) int, error) {
	name, down := strings.CutPrefix(by, "-")
	compare, ok := map[string]func(a, b *call) int{
		"": func(a, b *call) int {
			return cmp.Or(cmp.Compare(a.batch, b.batch), cmp.Compare(a.index, b.index), cmp.Compare(a.seq, b.seq))
		},
		"duration": func(a, b *call) int { return cmp.Compare(a.duration, b.duration) },
		"tokens":   func(a, b *call) int { return cmp.Compare(a.tokens, b.tokens) },
		"cost":     func(a, b *call) int { return cmp.Compare(a.cost, b.cost) },
	}[strings.TrimPrefix(name, "index")]
	if !ok {
		return nil, fmt.Errorf("sort by index, duration, tokens or cost, not by %q", by)
	}
	if down {
		return func(a, b *call) int { return compare(b, a) }, nil
	}
	return compare, nil
}

func (c *call) told() Call {
	out := Call{
		Seq: c.seq, Ended: c.ended, Status: c.status(), Index: c.index, Batch: c.batch, Size: c.size, Impl: c.impl, Tool: c.tool, Model: c.model,
		Prompt: beginning(c.prompt), PromptSize: c.prompt.Size(), Reply: beginning(c.reply), ReplySize: c.reply.Size(), Error: c.err, ErrorKind: c.errKind,
		Child: c.child, Tokens: c.tokens, Usage: c.usage, Cached: c.cached, Duration: c.duration, Attempts: c.attempts, Started: c.began,
	}
	if c.priced && !c.unpriced {
		out.Cost = &c.cost
	}
	return out
}

// beginning is what is shown of a text in a list.
func beginning(t trajectory.Text) string {
	const most = 300
	text, err := t.Load()
	if err != nil {
		return t.String() // which says that it is not there
	}
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
