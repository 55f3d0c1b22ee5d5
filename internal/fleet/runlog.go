package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// runLog stores the events of a run in the queue: each append is a message on the run's subject that names its
// predecessor. So only one process can append, and a process that was replaced is rejected.
type runLog struct {
	ctx    context.Context // for appending
	queue  *Queue
	run    runKey
	dir    string // folder of the working copy
	root   string // folder of the contexts on this machine
	writer string // distinguishes the messages of this process
	last   uint64 // sequence of the subject's last message
	n      int    // number of messages of this process

	restored int64 // number of the last restored event
}

// runKey names a run of the fleet.
type runKey struct{ batch, id string }

func (r runKey) subject() string { return runsSubject + r.batch + "." + r.id }

// lostError means that this process has lost a run to another one.
type lostError struct{ run string }

func (e *lostError) Error() string { return "another node has taken over the run " + e.run }

// eventMessage is the form of an event in a message.
type eventMessage struct {
	Event  json.RawMessage `json:"event,omitempty"`
	Object string          `json:"object,omitempty"` // object that holds the event instead, if it is long
	File   string          `json:"file,omitempty"`   // manifest of the copy of the event's context
	Begin  bool            `json:"begin,omitempty"`  // the run begins with this event: earlier ones no longer count
}

// Sizes within a message, which has at most 1 MiB.
const (
	longestEvent   = 128 << 10
	longestMessage = 700 << 10
)

// contextsHere replaces, in stored events, the folder of contexts, which differs between machines.
const contextsHere = "/rlm-contexts"

// Commit implements trajectory.Store.
func (l *runLog) Commit(events []trajectory.Event) error {
	var message bytes.Buffer
	for _, e := range events {
		line, err := l.line(e)
		if err != nil {
			return fmt.Errorf("store the events of run %s: %w", l.run.id, err)
		}
		if message.Len() > 0 && message.Len()+len(line) > longestMessage {
			if err := l.append(message.Bytes()); err != nil {
				return err
			}
			message.Reset()
		}
		message.Write(line)
		message.WriteByte('\n')
	}
	if message.Len() == 0 {
		return nil
	}
	return l.append(message.Bytes())
}

// line encodes an event for a message. Parts that are too long are stored as objects first.
func (l *runLog) line(e trajectory.Event) ([]byte, error) {
	e, err := e.Loaded()
	if err != nil {
		return nil, err
	}
	k := eventMessage{Begin: e.Seq == 1}
	if d, ok := e.Data.(trajectory.ContextAdded); ok {
		if d.File != "" {
			if k.File, err = l.queue.putFolder(l.ctx, filepath.Join(l.dir, d.File)); err != nil {
				return nil, err
			}
		}
		e.Data = moved(d, l.root, contextsHere)
	}
	if k.Event, err = json.Marshal(e); err != nil {
		return nil, err
	}
	if len(k.Event) > longestEvent {
		data := k.Event
		k.Event = nil
		if k.Object, _, err = l.queue.objects.PutBytes(l.ctx, data); err != nil {
			return nil, err
		}
	}
	return json.Marshal(k)
}

// moved returns the event of a context with its files moved to another folder.
func moved(d trajectory.ContextAdded, from, to string) trajectory.ContextAdded {
	absolute := make([]string, len(d.Absolute))
	for i, path := range d.Absolute {
		absolute[i] = path
		if rest, ok := strings.CutPrefix(path, from); ok {
			absolute[i] = to + rest
		}
	}
	d.Absolute = absolute
	old, _ := json.Marshal(from + string(filepath.Separator)) // marshalling a string never fails
	moved, _ := json.Marshal(to + string(filepath.Separator))
	inside := func(quoted []byte) string { return string(quoted[:len(quoted)-1]) }
	d.Files = trajectory.T(strings.ReplaceAll(d.Files.String(), `"path":`+inside(old), `"path":`+inside(moved)))
	return d
}

// append adds a message to the run's subject. While no server answers it retries. The error is a *lostError if
// another process has appended something.
func (l *runLog) append(data []byte) error {
	l.n++
	id := l.run.id + "." + l.writer + "." + strconv.Itoa(l.n)
	for {
		seq, err := l.try(id, data)
		switch {
		case err == nil:
			l.last = seq
			return nil
		case l.ctx.Err() != nil:
			return fmt.Errorf("store the events of run %s: %w", l.run.id, context.Cause(l.ctx))
		case !jet.Passes(err):
			return err
		}
		select {
		case <-time.After(jet.RetryPause):
		case <-l.ctx.Done():
		}
	}
}

// try publishes a message, or finds that it is already stored: a server that rejects a message because of its
// sequence may have stored it before, if the acknowledgement was lost.
func (l *runLog) try(id string, data []byte) (seq uint64, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, jet.RemotePatience)
	defer cancel()
	ack, err := l.queue.conn.JS.Publish(
		ctx, l.run.subject(), data, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(l.last))
	if err == nil {
		return ack.Sequence, nil
	}
	if !wrongSequence(err) {
		return 0, err
	}
	last, err := l.queue.runs.GetLastMsgForSubject(ctx, l.run.subject())
	switch {
	case err == nil && last.Header.Get(jetstream.MsgIDHeader) == id:
		return last.Sequence, nil
	case err == nil, errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, &lostError{l.run.id}
	}
	return 0, err
}

// wrongSequence reports whether a message was rejected because another one came first.
func wrongSequence(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		(refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// restore creates the working copy of a run from its events in the queue, if there are any, and returns the log
// that appends to it.
func (q *Queue) restore(ctx context.Context, run runKey, dir, root string) (*runLog, error) {
	l := &runLog{ctx: ctx, queue: q, run: run, dir: dir, root: root, writer: nuid.Next()}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("restore run %s: %w", run.id, err)
	}
	lines, last, err := q.lines(ctx, run)
	if err != nil || len(lines) == 0 {
		l.last = last
		return l, err
	}
	if l.restored, err = trajectory.Restore(dir, l.events(lines)); err != nil {
		return nil, fmt.Errorf("restore run %s: %w", run.id, err)
	}
	l.last = last
	return l, nil
}

// lines returns the events of a run as stored in its messages, and the sequence of the last message.
func (q *Queue) lines(ctx context.Context, run runKey) (lines []eventMessage, last uint64, err error) {
	end, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return q.runs.GetLastMsgForSubject(ctx, run.subject())
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read run %s: %w", run.id, q.why(err))
	}
	for msg, err := range q.messages(ctx, q.runs, run.subject(), 0, true) { // a server may lack the last ones
		if err != nil {
			return nil, 0, err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return nil, 0, fmt.Errorf("read run %s: %w", run.id, err)
		}
		for line := range bytes.Lines(msg.Data()) {
			var k eventMessage
			if err := json.Unmarshal(line, &k); err != nil {
				return nil, 0, fmt.Errorf("read run %s: %w", run.id, err)
			}
			if k.Begin {
				lines = nil
			}
			lines = append(lines, k)
		}
		if meta.Sequence.Stream >= end.Sequence {
			return lines, meta.Sequence.Stream, nil
		}
	}
	return nil, 0, context.Cause(ctx)
}

// events decodes lines, replacing the paths of contexts with those on this machine.
func (l *runLog) events(lines []eventMessage) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		for _, k := range lines {
			e, err := l.event(k)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (l *runLog) event(k eventMessage) (e trajectory.Event, err error) {
	data := []byte(k.Event)
	if k.Object != "" {
		if data, err = l.queue.objects.Read(l.ctx, k.Object); err != nil {
			return e, err
		}
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, err
	}
	if d, ok := e.Data.(trajectory.ContextAdded); ok {
		if k.File != "" && !filepath.IsLocal(d.File) {
			return e, fmt.Errorf("the copy of the context %q is not a file in the run's folder", d.File)
		}
		if k.File != "" && l.dir != "" {
			if err := l.queue.fetchFolder(l.ctx, k.File, filepath.Join(l.dir, d.File)); err != nil {
				return e, err
			}
		}
		e.Data = moved(d, contextsHere, l.root)
	}
	return e, nil
}

// goesOn reports whether a run can continue from its events.
func (q *Queue) goesOn(run runKey) bool {
	ctx, cancel := context.WithTimeout(context.Background(), jet.AskPatience)
	defer cancel()
	l := &runLog{ctx: ctx, queue: q, run: run}
	lines, _, err := q.lines(ctx, run)
	if err != nil {
		return false
	}
	res, err := runner.Collect(l.events(lines))
	return err == nil && res.RunID != "" && (!res.Ended || goesOnFrom(res))
}
