package session

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// read yields the frames with numbers above after, first those of the log and then new ones, until ctx is done or
// yield fails. A reader that joins while a reply is streamed first gets the text so far, as one transient frame
// that restarts the reply. A brief reader gets details of the past without their JSON. read returns yield's error,
// or an error that the log cannot be read.
func (f *broadcaster) read(ctx context.Context, after int64, brief bool, yield func([]Frame) error) error {
	f.readers.Add(1)
	defer f.readers.Add(-1)
	next, after, err := f.join(ctx, after, brief, yield)
	for err == nil {
		var frames []Frame
		var lost bool
		frames, next, lost, err = f.wait(ctx, next)
		switch {
		case err != nil:
		case lost: // too slow: durable events are in the log, transient ones are lost
			next, after, err = f.join(ctx, after, brief, yield)
		default:
			for _, fr := range frames {
				after = max(after, fr.Seq)
			}
			if err = yield(frames); err == nil {
				f.rest(ctx)
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ErrRemoved // a session without a log was deleted
	}
	return err
}

// A reader rests after each write, and longer if there are more readers: each write is a system call, and hundreds
// of readers would slow the run that they watch. The first of several events is sent immediately, and each event at
// most mostRest after it happened.
const (
	restEach = 250 * time.Microsecond // times the number of readers
	mostRest = 50 * time.Millisecond
)

// rest waits until a reader may look for more.
func (f *broadcaster) rest(ctx context.Context) {
	rest := time.NewTimer(min(mostRest, restEach*time.Duration(f.readers.Load())))
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-ctx.Done():
	}
}

// join sends a reader all frames with numbers above after, and returns the index of the next frame in the ring and
// the number of the last event.
func (f *broadcaster) join(
	ctx context.Context, after int64, brief bool, yield func([]Frame) error,
) (next, seq int64, err error) {
	for {
		f.mu.Lock()
		last := f.last
		if after >= f.oldest() {
			frames := f.since(after)
			frames = append(frames, f.soFar(last)...)
			next = f.first + int64(len(f.ring))
			f.mu.Unlock()
			if len(frames) > 0 {
				err = yield(frames)
			}
			return next, last, err
		}
		f.mu.Unlock()
		if after, err = f.fromLog(ctx, after, last, brief, yield); err != nil {
			return 0, after, err
		}
	}
}

// oldest returns the number after which the ring has all durable frames. The caller holds mu.
func (f *broadcaster) oldest() int64 {
	for _, fr := range f.ring {
		if !fr.Transient {
			return fr.Seq - 1
		}
	}
	return f.last
}

// since returns the durable frames with numbers above after. The caller holds mu.
func (f *broadcaster) since(after int64) []Frame {
	var out []Frame
	for _, fr := range f.ring {
		if !fr.Transient && fr.Seq > after {
			out = append(out, fr)
		}
	}
	return out
}

// soFar returns the session's state, the replies in progress and the output of the running cell. The caller
// holds mu.
func (f *broadcaster) soFar(seq int64) []Frame {
	var out []Frame
	if f.state != nil {
		out = append(out, Frame{Seq: seq, Transient: true, JSON: f.state})
	}
	for path, p := range f.partial {
		out = append(out, Frame{
			Seq: seq, Transient: true, Detail: path != "",
			JSON: encoded(seq, path, "reply_delta", trajectory.ReplyDelta{
				Content: string(p.content), Reasoning: string(p.reasoning), Restart: true,
			}),
		})
	}
	if text := f.printed.text; len(text) > 0 {
		tail := strings.ToValidUTF8(string(text[max(0, len(text)-mostPrinted):]), "")
		out = append(out, Frame{Seq: seq, Transient: true, JSON: encoded(
			seq, "", "cell_printed", trajectory.CellPrinted{Cell: f.printed.cell, Text: tail, Restart: true})})
	}
	return out
}

// encoded encodes a transient event that is not logged.
func encoded(seq int64, path, typ string, data any) []byte {
	b, err := json.Marshal(struct {
		Seq  int64  `json:"seq"`
		Path string `json:"path,omitempty"`
		Type string `json:"type"`
		Data any    `json:"data"`
	}{seq, path, typ, data})
	if err != nil {
		panic(err) // unreachable: texts and numbers can always be encoded
	}
	return b
}

// batch bounds the frames that are yielded in one call.
const batch = 256

// fromLog yields the events of the log with numbers above after, up to last.
func (f *broadcaster) fromLog(
	ctx context.Context, after, last int64, brief bool, yield func([]Frame) error,
) (int64, error) {
	var frames []Frame
	flush := func() error {
		err := yield(frames)
		frames = nil
		return err
	}
	for ev, err := range runner.Retraced(ctx, f.dir, trajectory.Skim(f.dir)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return after, err
		}
		if ev.Seq <= after {
			continue
		}
		fr, err := frameOf(ev, brief)
		if err != nil {
			return after, err
		}
		frames, after = append(frames, fr), ev.Seq
		if len(frames) == batch {
			if err := flush(); err != nil {
				return after, err
			}
		}
		if ev.Seq >= last {
			break
		}
	}
	return max(after, last), flush() // an event missing from the log will not appear there later
}

// wait returns the frames from index next on, once there are any, and the index after them. lost means that the
// ring no longer has the frame next.
func (f *broadcaster) wait(ctx context.Context, next int64) (frames []Frame, after int64, lost bool, err error) {
	for {
		f.mu.Lock()
		end, broken, changed := f.first+int64(len(f.ring)), f.broken, f.changed
		switch {
		case next < f.first:
			f.mu.Unlock()
			return nil, next, true, nil
		case next < end:
			frames = append(frames, f.ring[next-f.first:]...)
			f.mu.Unlock()
			return frames, end, false, nil
		}
		f.mu.Unlock()
		if broken != nil {
			return nil, next, false, broken
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, next, false, ctx.Err()
		}
	}
}
