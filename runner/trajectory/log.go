package trajectory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/gorlm/rlm/internal/kit/text"
)

// logFile is the log itself, in the run's folder.
const logFile = "trajectory.jsonl"

// ErrClosed is returned by Append after Close.
var ErrClosed = errors.New("the log is closed")

// Log is the durable log of one run or session: <dir>/trajectory.jsonl with its side files. One process
// owns it at a time (a lock with the owner's pid and host). It is safe for concurrent use.
type Log struct {
	dir   string
	owner *ownership
	zip   *zstd.Encoder // EncodeAll is safe for concurrent use
	lines *os.File
	texts *os.File

	mu       sync.Mutex
	idle     sync.Cond // a flush ended
	flushing bool
	writing  *batch                         // what is being flushed
	batch    *batch                         // what the next flush writes
	room     []byte                         // memory of lines that were written, for the next ones
	index    map[[sha256.Size]byte]*textRef // texts that are written or in batch
	textEnd  int64                          // end of texts, with those in batch
	lineEnd  int64                          // end of lines, with those in batch
	durable  position                       // what is on disk
	seq      int64                          // of the last event, with those in batch
	subs     map[*subscription]struct{}     // who follows
	err      error                          // of the first failed write; nothing is accepted after it
	closed   bool                           // by Close
	sync     func(f *os.File) error         // makes a file durable
	store    Store                          // keeps the events, nil: this folder does
	giveUp   context.CancelCauseFunc        // ends the wait for the store in the last flush
	summary  summaryTracker                 // kept up to date for the summary file
	// summarized is how far the summary file describes the log.
	summarized int64
}

// position is a place in the log behind an event.
type position struct {
	seq int64
	at  int64
}

// Create makes a new log in dir, which must not hold one. dir and its parents are made where needed. Its events are kept by the store, too;
// nil: by the folder alone.
func Create(dir string, store Store) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the run's folder: %w", err)
	}
	l, err := open(dir, os.O_CREATE|os.O_EXCL)
	return l.in(store), err
}

// Open takes over an existing log to append to it. A torn last line is moved to a file beside it. If
// another process owns the log the error is a *LockedError, which names the owner; if it is damaged
// elsewhere, a *DamagedError, and nothing is changed. A store must have exactly the events of the log.
func Open(dir string, store Store) (*Log, error) {
	l, err := open(dir, 0)
	return l.in(store), err
}

func open(dir string, flag int) (_ *Log, err error) {
	if flag == 0 {
		if _, err := os.Lstat(filepath.Join(dir, logFile)); err != nil {
			return nil, fmt.Errorf("open the run's log: %w", err)
		}
	}
	owner, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	l := &Log{dir: dir, owner: owner, batch: newBatch(), subs: map[*subscription]struct{}{}, sync: syncData}
	l.idle.L = &l.mu
	defer func() {
		if err != nil {
			err = errors.Join(err, l.release())
		}
	}()
	l.lines, err = openFile(filepath.Join(dir, logFile), os.O_RDWR|flag)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("make a new log in %s: it holds a run already", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the run's log: %w", err)
	}
	if l.texts, err = openFile(filepath.Join(dir, textsFile), os.O_RDWR|os.O_CREATE); err != nil {
		return nil, fmt.Errorf("open the run's texts: %w", err)
	}
	if l.zip, err = newEncoder(); err != nil {
		return nil, err
	}
	if err := l.recover(); err != nil {
		return nil, err
	}
	return l, syncFolder(dir)
}

func newEncoder() (*zstd.Encoder, error) {
	// A small window bounds the memory of many concurrent appends.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("compress the run's texts: %w", err)
	}
	return enc, nil
}

// Dir is the folder of the log.
func (l *Log) Dir() string { return l.dir }

// Append writes one event and returns it with Seq and Time set. It returns when the event is durable
// (fsync; concurrent appends share one). Transient events (ReplyDelta, CallRetried, CellPrinted) are not
// written, only handed to subscribers.
//
// A Text is kept byte for byte. Other strings of a payload should be valid UTF-8: what is not becomes
// U+FFFD in the log, as JSON demands.
//
// When a write fails (a full disk, an I/O error) the error says so and what to do; the events before it
// stay readable and every later Append fails with the same error.
func (l *Log) Append(path string, turn int, d Data) (Event, error) {
	e, b, err := l.enter(path, turn, d)
	if err != nil || b == nil {
		return e, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.commit(b); err != nil {
		return Event{}, err
	}
	return e, nil
}

// Post writes one event without waiting for it to be durable. It is durable soon, and no later than any
// event that is appended after it; that it failed is what the next Append or Post says. For events that
// nothing outside of the run depends on.
func (l *Log) Post(path string, turn int, d Data) (Event, error) {
	e, b, err := l.enter(path, turn, d)
	if err != nil || b == nil {
		return e, err
	}
	go func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		_ = l.commit(b) // kept in l.err
	}()
	return e, nil
}

// Await returns when an event that was posted is durable.
func (l *Log) Await(seq int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.durable.seq < seq {
		if l.err != nil {
			return l.err
		}
		if l.flushing {
			l.idle.Wait()
			continue
		}
		l.flush()
	}
	return nil
}

// Settle returns when all events so far are durable, with the number of the last one.
func (l *Log) Settle() (seq int64, err error) {
	l.mu.Lock()
	seq = l.seq
	l.mu.Unlock()
	return seq, l.Await(seq)
}

// enter numbers an event and puts it into the batch that is written next, which it returns; nil for a
// transient event.
func (l *Log) enter(path string, turn int, d Data) (Event, *batch, error) {
	d, err := valueOf(d)
	if err != nil {
		return Event{}, nil, err
	}
	e := Event{Time: time.Now().UTC().Round(time.Microsecond), Path: path, Turn: turn, Data: d}
	if Transient(d) {
		e, err := l.announce(e)
		return e, nil, err
	}
	stored, err := mapTexts(d, l.keepText)
	if err != nil {
		return Event{}, nil, err
	}
	payload, err := text.JSON(stored)
	if err != nil {
		return Event{}, nil, fmt.Errorf("encode event %s: %w", d.EventType(), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return Event{}, nil, err
	}
	e.Seq = l.seq + 1
	b, err := l.place(e, payload)
	if err != nil {
		return Event{}, nil, err
	}
	return e, b, nil
}

// place puts the next event into the batch that is written next. The caller holds mu.
func (l *Log) place(e Event, payload []byte) (*batch, error) {
	b := l.batch
	lines, err := e.appendLine(b.lines, payload)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
	}
	size := len(lines) - len(b.lines)
	if size >= mostLine {
		return nil, fmt.Errorf("append to the log: an event %s of %d bytes; at most %d", e.Data.EventType(), size, mostLine)
	}
	l.seq++
	b.lines = append(lines, '\n')
	b.events = append(b.events, positionedEvent{e, l.lineEnd})
	l.lineEnd += int64(size) + 1
	return b, nil
}

// announce hands a transient event to the subscribers, after the events that came before it: those that are being written, and
// those that are written next.
func (l *Log) announce(e Event) (Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return Event{}, err
	}
	e.Seq = l.seq
	switch {
	case len(l.batch.events) > 0:
		l.batch.events = append(l.batch.events, positionedEvent{Event: e})
		return e, nil
	case l.writing != nil:
		l.writing.events = append(l.writing.events, positionedEvent{Event: e})
		return e, nil
	}
	for s := range l.subs {
		s.offerTransient(e)
	}
	return e, nil
}

// keepText puts a long text into the batch and returns it as a reference. Bytes that JSON strings cannot hold
// are stored too.
func (l *Log) keepText(t Text) (Text, error) {
	s, err := t.Load()
	if err != nil {
		return Text{}, err
	}
	if len(s) <= longText && utf8.ValidString(s) {
		return T(s), nil
	}
	if len(s) > mostText {
		return Text{}, fmt.Errorf("append to the log: a text of %d bytes; at most %d", len(s), mostText)
	}
	raw := unsafe.Slice(unsafe.StringData(s), len(s)) // only read: a copy of a long text costs more than all else here
	hash := sha256.Sum256(raw)
	if ref := l.known(hash); ref != nil {
		return Text{ref: ref}, nil
	}
	frame := padded(l.zip.EncodeAll(raw, nil), len(s))

	l.mu.Lock()
	defer l.mu.Unlock()
	if ref := l.index[hash]; ref != nil && ref.sound {
		return Text{ref: ref}, nil
	}
	if err := l.usable(); err != nil {
		return Text{}, err
	}
	ref := &textRef{hash: hash, size: int64(len(s)), at: l.textEnd + textHeaderLen, stored: int64(len(frame)), file: l.texts.Name(), sound: true}
	l.batch.texts = append(append(l.batch.texts, textHeader(hash, ref.size, ref.stored)...), frame...)
	l.textEnd = ref.at + ref.stored
	l.index[hash] = ref
	return Text{ref: ref}, nil
}

// known returns where a text is stored already. What an earlier process stored is read once before it is
// relied on: it may have been damaged since.
func (l *Log) known(hash [sha256.Size]byte) *textRef {
	l.mu.Lock()
	defer l.mu.Unlock()
	ref := l.index[hash]
	if ref == nil || ref.sound {
		return ref
	}
	l.mu.Unlock()
	_, err := Text{ref: ref}.Load()
	l.mu.Lock()
	if err != nil {
		return nil
	}
	ref.sound = true
	return ref
}

// usable says why nothing can be appended, if so. The caller holds mu.
func (l *Log) usable() error {
	if l.closed {
		return ErrClosed
	}
	return l.err
}

// Close waits for appends under way, ends the subscriptions after what they have not read yet, writes the
// run's summary and releases the lock. It is safe to call twice.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	for l.flushing || len(l.batch.events) > 0 && l.err == nil {
		l.idle.Wait()
	}
	for s := range l.subs {
		s.end()
	}
	failed := l.err != nil
	l.mu.Unlock()
	var err error
	if !failed {
		err = l.writeSummary()
	}
	return errors.Join(err, l.release())
}

// release closes the files and gives up the lock.
func (l *Log) release() error {
	var errs []error
	for _, f := range []*os.File{l.lines, l.texts} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(append(errs, l.owner.release())...)
}

// Seq is the number of the last durable event.
func (l *Log) Seq() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable.seq
}
