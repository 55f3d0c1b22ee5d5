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

// errClosed is returned by Append after Close.
var errClosed = errors.New("the log is closed")

// Log is the durable log of one run or session: <dir>/trajectory.jsonl with its side files. One process
// owns it at a time (a lock with the owner's pid and host). It is safe for concurrent use.
type Log struct {
	dir   string
	owner *ownership
	lines *os.File
	texts *os.File

	mu       sync.Mutex
	idle     sync.Cond // signalled when a flush has ended
	flushing bool
	writing  *batch                         // the batch being flushed
	batch    *batch                         // the batch of the next flush
	room     []byte                         // memory of written lines, for reuse
	index    map[[sha256.Size]byte]*textRef // texts that are written or in batch
	textEnd  int64                          // end of texts, including batch
	lineEnd  int64                          // end of lines, including batch
	durable  position                       // how much is on disk
	seq      int64                          // number of the last event, including batch
	subs     map[*subscription]struct{}     // the subscribers
	observe  func(Event)                    // see Observe
	err      error                          // error of the first failed write; nothing is accepted afterwards
	closed   bool
	sync     func(f *os.File) error  // makes a file durable
	store    Store                   // also stores the events; may be nil
	giveUp   context.CancelCauseFunc // ends the wait for the store in the last flush
	summary  summaryTracker          // kept up to date for the summary file
	// summarized is the end of the part of the log that the summary file describes.
	summarized int64
}

// position is a place in the log after an event.
type position struct {
	seq int64
	at  int64
}

// Create makes a new log in dir, which must not contain one. dir and its parents are created if needed. The events
// also go to store unless it is nil.
func Create(dir string, store Store) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the run's folder: %w", err)
	}
	l, err := open(dir, os.O_CREATE|os.O_EXCL)
	return l.in(store), err
}

// Open opens an existing log for appending. A torn last line is moved to a file next to it. If another process owns
// the log, the error is a *LockedError, which names the owner; if the log is damaged elsewhere, it is a
// *DamagedError, and nothing is changed. If store is not nil, it must have exactly the events of the log.
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
		return nil, fmt.Errorf("create a log in %s: it already contains a run", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the run's log: %w", err)
	}
	if l.texts, err = openFile(filepath.Join(dir, textsFile), os.O_RDWR|os.O_CREATE); err != nil {
		return nil, fmt.Errorf("open the run's texts: %w", err)
	}
	if err := l.recover(); err != nil {
		return nil, err
	}
	return l, syncFolder(dir)
}

// encoder compresses the texts of all logs: only its EncodeAll is used, which is safe for concurrent use. An encoder
// for each log would cost a short run more than its texts. A small window bounds the memory of concurrent appends.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
})

// Dir is the folder of the log.
func (l *Log) Dir() string { return l.dir }

// Append writes one event and returns it with Seq and Time set. It returns when the event is durable (fsync;
// concurrent appends share one). Transient events (see Transient) are not written, only passed to subscribers.
//
// A Text is stored byte for byte. Other strings of a payload should be valid UTF-8: invalid bytes become U+FFFD in
// the log, as JSON requires.
//
// When a write fails (a full disk, an I/O error), the error explains the cause and what to do; earlier events stay
// readable, and every later Append fails with the same error.
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

// Post writes one event without waiting until it is durable. It becomes durable soon, and no later than any event
// appended after it; the next Append or Post reports a failure. Use it for events on which nothing outside the run
// depends.
func (l *Log) Post(path string, turn int, d Data) (Event, error) {
	e, b, err := l.enter(path, turn, d)
	if err != nil || b == nil {
		return e, err
	}
	go func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		_ = l.commit(b) // l.err keeps its error
	}()
	return e, nil
}

// Await returns when a posted event is durable.
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

// enter numbers an event and adds it to the next batch, which it returns; nil for a transient event.
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

// place adds the next event to the next batch. The caller holds mu.
func (l *Log) place(e Event, payload []byte) (*batch, error) {
	b := l.batch
	lines, err := e.appendLine(b.lines, payload)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
	}
	size := len(lines) - len(b.lines)
	if size >= mostLine {
		return nil, fmt.Errorf("append to the log: an event %s has %d bytes, but the limit is %d", e.Data.EventType(), size,
			mostLine)
	}
	l.seq++
	b.lines = append(lines, '\n')
	b.events = append(b.events, positionedEvent{e, l.lineEnd})
	l.lineEnd += int64(size) + 1
	return b, nil
}

// announce passes a transient event to the subscribers, after all earlier events, including those that are not
// written yet.
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

// keepText adds a text to the batch if it is long or not valid UTF-8, and returns a reference to it.
func (l *Log) keepText(t Text) (Text, error) {
	s, err := t.Load()
	if err != nil {
		return Text{}, err
	}
	if len(s) <= longText && utf8.ValidString(s) {
		return T(s), nil
	}
	if len(s) > mostText {
		return Text{}, fmt.Errorf("append to the log: a text has %d bytes, but the limit is %d", len(s), mostText)
	}
	// This is only read: copying a long text would cost more than everything else here.
	raw := unsafe.Slice(unsafe.StringData(s), len(s))
	hash := sha256.Sum256(raw)
	if ref := l.known(hash); ref != nil {
		return Text{ref: ref}, nil
	}
	zip, err := encoder()
	if err != nil {
		return Text{}, fmt.Errorf("compress the run's texts: %w", err)
	}
	frame := padded(zip.EncodeAll(raw, nil), len(s))

	l.mu.Lock()
	defer l.mu.Unlock()
	if ref := l.index[hash]; ref != nil && ref.sound {
		return Text{ref: ref}, nil
	}
	if err := l.usable(); err != nil {
		return Text{}, err
	}
	ref := &textRef{
		hash: hash, size: int64(len(s)), at: l.textEnd + textHeaderLen, stored: int64(len(frame)),
		file: l.texts.Name(), sound: true,
	}
	l.batch.texts = append(append(l.batch.texts, textHeader(hash, ref.size, ref.stored)...), frame...)
	l.textEnd = ref.at + ref.stored
	l.index[hash] = ref
	return Text{ref: ref}, nil
}

// known returns the reference of a stored text. A text that an earlier process stored is read once before it is
// reused: it may have been damaged since.
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

// usable returns the reason why nothing can be appended, or nil. The caller holds mu.
func (l *Log) usable() error {
	if l.closed {
		return errClosed
	}
	return l.err
}

// Close waits for appends in progress, ends the subscriptions once they have been read, writes the run's summary
// and releases the lock. A second call has no effect.
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

// release closes the files and releases the lock.
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
