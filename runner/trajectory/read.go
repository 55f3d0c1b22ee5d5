package trajectory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Read yields the events of the log in dir, even while another process writes it. A torn last line ends the
// sequence without an error, and a repeated line counts once. A damaged line before the last, or a missing or
// damaged text, is a *DamagedError and ends the sequence.
func Read(dir string) iter.Seq2[Event, error] { return events(dir, readOptions{texts: true}) }

// Skim is like Read but does not load long texts from the side file: their Size and Hash are known, and Load gets
// the text. It is for readers that need few of the texts.
func Skim(dir string) iter.Seq2[Event, error] { return events(dir, readOptions{}) }

// SkimTypes is like Skim but decodes the data only of some types of events; all others are Unknown. This saves most
// of the work if there are few such events.
func SkimTypes(dir string, types ...string) iter.Seq2[Event, error] {
	return events(dir, readOptions{only: func(typ string) bool { return slices.Contains(types, typ) }})
}

// Salvage is like Read, for people who inspect a damaged log: it continues after damage. It yields a Warned event
// instead of an unreadable line, a note of its size instead of a damaged text, and after the last event the
// *DamagedError of the first damage. A run cannot be resumed from these events; Repair makes the log fit for that.
func Salvage(dir string) iter.Seq2[Event, error] {
	return events(dir, readOptions{texts: true, salvage: true})
}

// DamagedError means that a log has been changed since it was written.
type DamagedError struct {
	File string // path of the log
	Line int    // number of the damaged line, from 1
	Err  error  // what is damaged
}

func (e *DamagedError) Error() string {
	id := filepath.Base(filepath.Dir(e.File))
	return fmt.Sprintf("the run's log is damaged: %s, line %d: %v; 'rlm repair %s' makes it usable up to there and moves the rest to a file beside it",
		e.File, e.Line, e.Err, id)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// readOptions configures reading a log.
type readOptions struct {
	texts   bool                  // fetch long texts from the side file
	salvage bool                  // continue after damage
	only    func(typ string) bool // not nil: leave out the data of all other types
}

func events(dir string, how readOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range readFrom(dir, position{}, how) {
			if !yield(e.Event, err) {
				return
			}
		}
	}
}

// readFrom yields the events after a position, each with the offset of its line's end.
func readFrom(dir string, from position, how readOptions) iter.Seq2[positionedEvent, error] {
	return func(yield func(positionedEvent, error) bool) {
		f, err := openFile(filepath.Join(dir, logFile), os.O_RDONLY)
		if err != nil {
			yield(positionedEvent{}, fmt.Errorf("read the run's log: %w", err))
			return
		}
		defer f.Close()
		r := newEventReader(dir, f, from, how)
		defer r.close()
		for {
			e, err := r.next()
			if errors.Is(err, io.EOF) {
				if r.first != nil {
					yield(positionedEvent{}, r.first)
				}
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// eventReader decodes lines.
type eventReader struct {
	dir   string
	file  *os.File
	how   readOptions
	seq   int64 // number of the last event
	lines lineReader
	texts *textReader // opened for the first text

	recent   []lineRange // the latest lines, to recognise repetitions
	repeated int64       // end of the latest repeated line

	first *DamagedError // the first damage that was skipped
}

// lineRange is the range of an event's line.
type lineRange struct{ seq, from, to int64 }

// mostRecent bounds the lines whose repetition is recognised.
const mostRecent = 64

func newEventReader(dir string, f *os.File, from position, how readOptions) *eventReader {
	return &eventReader{dir: dir, how: how, file: f, seq: from.seq, lines: newLineReader(f, from.at)}
}

func (r *eventReader) close() {
	if r.texts != nil {
		r.texts.close()
	}
}

// next returns io.EOF at the end, even if a torn line follows.
func (r *eventReader) next() (positionedEvent, error) {
	for {
		line, err := r.lines.next()
		if err != nil && !errors.Is(err, errLongLine) {
			if !errors.Is(err, io.EOF) {
				err = fmt.Errorf("read the run's log: %w", err)
			}
			return positionedEvent{}, err
		}
		var e Event
		if err == nil {
			err = e.decode(line, r.how.only)
		}
		switch {
		case err == nil && r.repeats(e.Seq, line):
			r.repeated = r.lines.at
			continue
		case err == nil && !r.follows(e.Seq):
			err = fmt.Errorf("event %d follows event %d", e.Seq, r.seq)
		case err != nil && !r.how.salvage && r.lines.last():
			return positionedEvent{}, io.EOF
		}
		if err == nil {
			err = checkNames(e.Data)
		}
		if err == nil {
			e.Data, err = mapTexts(e.Data, r.text)
		}
		if err != nil {
			if e, ok := r.skip(err); ok {
				return e, nil
			}
			return positionedEvent{}, r.damaged(err)
		}
		r.keep(e.Seq)
		return positionedEvent{e, r.lines.at}, nil
	}
}

// checkNames refuses an event that names a file outside the run's folder: the log may come from somebody else.
func checkNames(d Data) error {
	c, ok := d.(ContextAdded)
	if ok && c.File != "" && (strings.ContainsAny(c.File, `/\:`) || !filepath.IsLocal(c.File) || c.File == ".") {
		return fmt.Errorf("the copy of the context %q is not a file in the run's folder", c.File)
	}
	return nil
}

// follows reports whether an event may come after the last one. When damage is skipped, numbers in between may be
// missing.
func (r *eventReader) follows(seq int64) bool {
	return seq == r.seq+1 || r.how.salvage && seq > r.seq
}

// keep remembers the present line.
func (r *eventReader) keep(seq int64) {
	r.seq = seq
	if len(r.recent) == mostRecent {
		r.recent = append(r.recent[:0], r.recent[mostRecent/2:]...)
	}
	r.recent = append(r.recent, lineRange{seq, r.lines.start, r.lines.at})
}

// repeats reports whether a line is a copy of a recent one, as left by a copying program or a file system that
// wrote a block twice.
func (r *eventReader) repeats(seq int64, line []byte) bool {
	if seq > r.seq {
		return false
	}
	i := slices.IndexFunc(r.recent, func(s lineRange) bool { return s.seq == seq })
	if i < 0 {
		return false
	}
	s := r.recent[i]
	if s.to-s.from != int64(len(line))+1 {
		return false
	}
	first := make([]byte, len(line))
	_, err := r.file.ReadAt(first, s.from)
	return err == nil && string(first) == string(line)
}

// skip returns an event in place of an unreadable line, if damage is skipped.
func (r *eventReader) skip(err error) (positionedEvent, bool) {
	if !r.how.salvage {
		return positionedEvent{}, false
	}
	r.noteDamage(err)
	text := fmt.Sprintf("line %d of the log is damaged and was left out: %v", r.lines.n, err)
	return positionedEvent{Event{Seq: r.seq, Data: Warned{About: "log", Text: text}}, r.lines.at}, true
}

func (r *eventReader) damaged(err error) *DamagedError {
	return &DamagedError{File: r.file.Name(), Line: r.lines.n, Err: err}
}

func (r *eventReader) noteDamage(err error) {
	if r.first == nil {
		r.first = r.damaged(err)
	}
}

// text loads a text, or only links it to its side file if texts are not wanted.
func (r *eventReader) text(t Text) (Text, error) {
	if t.ref == nil {
		return t, nil
	}
	t.ref.file = filepath.Join(r.dir, textsFile)
	if !r.how.texts {
		return t, nil
	}
	s, err := r.load(t.ref)
	if err != nil && r.how.salvage {
		r.noteDamage(err)
		return T(fmt.Sprintf("[text of %d bytes, sha256 %s: %v]", t.ref.size, t.Hash(), err)), nil
	}
	return T(s), err
}

func (r *eventReader) load(ref *textRef) (string, error) {
	if r.texts == nil {
		var err error
		if r.texts, err = openTexts(ref.file); err != nil {
			return "", err
		}
	}
	return r.texts.read(ref)
}

// Loaded returns the event with its long texts in memory. It fails if the side file is missing or damaged.
func (e Event) Loaded() (Event, error) {
	var err error
	e.Data, err = mapTexts(e.Data, func(t Text) (Text, error) {
		s, err := t.Load()
		return T(s), err
	})
	return e, err
}

// Referenced returns the event without its long texts: as JSON they become hash and size, and String returns a
// note.
func (e Event) Referenced() Event {
	data, err := mapTexts(e.Data, func(t Text) (Text, error) {
		if t.ref != nil || len(t.s) <= longText {
			return t, nil
		}
		return Text{ref: &textRef{hash: sumOf(t.s), size: int64(len(t.s))}}, nil
	})
	if err == nil { // removing texts never fails
		e.Data = data
	}
	return e
}

// sumOf is the hash of a text. It makes no copy of the text, which may be as large as a prompt.
func sumOf(text string) (sum [sha256.Size]byte) {
	h := sha256.New()
	_, _ = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{strings.NewReader(text)}, make([]byte, 32<<10))
	h.Sum(sum[:0])
	return sum
}
