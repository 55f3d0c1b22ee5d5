package journal

import (
	"maps"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Key identifies a sub-call.
type Key = trajectory.CallKey

// callStart is the part of a sub-call's start that stays in memory: a run may make very many calls.
type callStart struct {
	child string // path of the child run
	batch int
	tool  bool
}

func startOf(d trajectory.SubCallStarted) callStart {
	return callStart{child: d.Child, batch: d.Batch, tool: d.Tool != ""}
}

// Reply is a recorded reply as the cell got it.
func Reply(d trajectory.SubCallEnded) sandbox.Reply {
	return sandbox.Reply{Body: []byte(d.Reply.String()), Error: d.Error, Unwind: d.Unwind}
}

// Answered returns the recorded reply to a sub-call.
func (j *Journal) Answered(k Key) (sandbox.Reply, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.calls[k]
	return Reply(d), ok
}

// Begun reports whether the start of a sub-call is in the log: it was in flight when the run was interrupted.
func (j *Journal) Begun(k Key) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.starts[k]
	return ok
}

// Interrupted reports whether a model call was in flight when its process ended; it does so only once for each
// call. The call is a sub-call, or the turn of the run at a path, whose key has only the path.
func (j *Journal) Interrupted(k Key) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	was := j.interrupted[k]
	delete(j.interrupted, k)
	return was
}

// underWay returns the model calls that were in flight when their process ended.
func underWay(past []trajectory.Event) map[Key]bool {
	calls := map[Key]bool{}
	for _, ev := range past {
		switch d := ev.Data.(type) {
		case trajectory.TurnStarted:
			calls[Key{Path: ev.Path}] = true
		case trajectory.ReplyReceived, trajectory.TurnFailed:
			delete(calls, Key{Path: ev.Path})
		case trajectory.SubCallStarted:
			if d.Model != "" && d.Child == "" {
				calls[d.Key(ev.Path)] = true
			}
		case trajectory.SubCallEnded:
			delete(calls, d.Key(ev.Path))
		case trajectory.RunEnded: // a run waits for its calls before it ends
			for k := range calls {
				calls[k] = calls[k] && ev.Path != "" && k.Path != ev.Path
			}
		case trajectory.Resumed: // these calls are made again
			for k := range calls {
				calls[k] = true
			}
		}
	}
	return calls
}

// Open records that a sub-call is about to be made. A call that was in flight before is in the log already. If
// durable is set the record is on disk before Open returns, for a call that may have effects outside.
func (j *Journal) Open(k Key, turn int, d trajectory.SubCallStarted, call sandbox.Call, durable bool) error {
	j.mu.Lock()
	_, begun := j.starts[k]
	if !begun {
		d.Given = j.at(k.Path, k.Cell).given(call)
		j.starts[k] = startOf(d)
	}
	j.mu.Unlock()
	if begun {
		return nil
	}
	if durable {
		return j.Append(k.Path, turn, d)
	}
	return j.Post(k.Path, turn, d)
}

// Close records the reply to a sub-call and returns when it is durable. place is the reply's position among those
// of its cell that this process recorded, from 1, in the order of the log.
func (j *Journal) Close(k Key, turn int, d trajectory.SubCallEnded) (place int, err error) {
	seq, place, err := j.place(k, turn, d)
	if err == nil {
		err = j.log.Await(seq)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.note(err); err != nil {
		return 0, err
	}
	j.last = max(j.last, seq)
	j.count(k, d)
	return place, nil
}

// place writes a reply to the log and determines its position.
func (j *Journal) place(k Key, turn int, d trajectory.SubCallEnded) (seq int64, place int, err error) {
	j.replies.Lock()
	defer j.replies.Unlock()
	ev, err := j.log.Post(k.Path, turn, d)
	if err != nil {
		return 0, 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.at(k.Path, k.Cell)
	p.placed++
	return ev.Seq, p.placed, nil
}

// Outcome summarises the calls of a cell.
type Outcome struct {
	Ends map[trajectory.Ending]int // replies that did not end normally
	dead map[int]*llm.Error        // by batch: failure of a call that was not answered
	live map[int]bool              // by batch: a call was answered, or failed for an individual reason
}

// Outage returns the failure of a batch in which no call was answered because the endpoint refuses the key, the
// quota is used up, or the endpoint cannot be reached. All calls outside batches count as one batch.
func (o Outcome) Outage() *llm.Error {
	for batch, err := range o.dead {
		if !o.live[batch] {
			return err
		}
	}
	return nil
}

// Outcome returns the outcome of a cell's calls.
func (j *Journal) Outcome(path string, cell int) Outcome {
	j.mu.Lock()
	defer j.mu.Unlock()
	if o := j.outcomes[cellAt{path, cell}]; o != nil {
		return Outcome{Ends: maps.Clone(o.Ends), dead: maps.Clone(o.dead), live: maps.Clone(o.live)}
	}
	return Outcome{}
}

// count adds a call to the outcome of its cell. The caller holds mu.
func (j *Journal) count(k Key, d trajectory.SubCallEnded) {
	at := cellAt{k.Path, k.Cell}
	o := j.outcomes[at]
	if o == nil {
		o = &Outcome{Ends: map[trajectory.Ending]int{}, dead: map[int]*llm.Error{}, live: map[int]bool{}}
		j.outcomes[at] = o
	}
	start := j.starts[k]
	unasked := start.tool || d.Unwind || d.Error != "" && d.Model == ""
	switch {
	case unasked: // such a call proves nothing about the endpoint
	case outage(d.ErrorKind):
		o.dead[start.batch] = &llm.Error{Kind: llm.ErrorKind(d.ErrorKind), Message: d.Error}
	default:
		o.live[start.batch] = true
	}
	if end := d.Ending(); end != trajectory.Whole && d.Error == "" {
		o.Ends[end]++
	}
}

// outage reports whether an error of this kind means that no call would be answered.
func outage(kind string) bool {
	switch llm.ErrorKind(kind) {
	case llm.ErrAuth, llm.ErrQuota, llm.ErrUnavailable:
		return true
	}
	return false
}

// unansweredCalls are the calls of an interrupted run that failed because of an outage, and the child runs that
// ended for that reason. They are made again: nothing was paid for them, and no model knows that they failed.
type unansweredCalls struct {
	calls    map[Key]bool
	children map[string]bool // child runs, by path
}

// unpaidCalls finds the unanswered calls in cells that did not end.
func unpaidCalls(past []trajectory.Event) unansweredCalls {
	u := unansweredCalls{calls: map[Key]bool{}, children: map[string]bool{}}
	ended := map[cellAt]bool{}
	child := map[Key]string{}
	for _, ev := range past {
		switch d := ev.Data.(type) {
		case trajectory.CellEnded:
			ended[cellAt{ev.Path, d.Cell}] = true
		case trajectory.SubCallStarted:
			child[d.Key(ev.Path)] = d.Child
		}
	}
	for _, ev := range past {
		d, ok := ev.Data.(trajectory.SubCallEnded)
		if ok && outage(d.ErrorKind) && !ended[cellAt{ev.Path, d.Cell}] {
			k := d.Key(ev.Path)
			u.calls[k] = true
			u.children[child[k]] = true
		}
	}
	// A child run that ended because of an outage, but whose call did not end, was about to reply to its cell.
	answered := map[string]bool{}
	for _, ev := range past {
		if d, ok := ev.Data.(trajectory.SubCallEnded); ok {
			k := d.Key(ev.Path)
			answered[child[k]] = answered[child[k]] || !u.calls[k]
		}
	}
	for _, ev := range past {
		if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path != "" && outage(d.ErrorKind) && !answered[ev.Path] {
			u.children[ev.Path] = true
		}
	}
	delete(u.children, "")
	return u
}
