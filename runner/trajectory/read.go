package trajectory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Read yields the events of the log in dir, whether or not somebody is writing to it. A torn last line ends it without an error.
// A damaged line before the last, or a text that is missing or damaged, is an error that says where.
func Read(dir string) iter.Seq2[Event, error] { return events(dir, fill) }

// Skim is Read without fetching long texts from the side file: their Size and Hash are known, Load fetches one. It is
// for readers that need few of the texts.
func Skim(dir string) iter.Seq2[Event, error] { return events(dir, leave) }

// what to do with long texts
type texting bool

const (
	fill  texting = true
	leave texting = false
)

func events(dir string, how texting) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range readFrom(dir, position{}, how) {
			if !yield(e.Event, err) {
				return
			}
		}
	}
}

// readFrom yields the events behind a position, each with the offset where its line ends.
func readFrom(dir string, from position, how texting) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		f, err := os.Open(filepath.Join(dir, logFile))
		if err != nil {
			yield(placed{}, fmt.Errorf("read the run's log: %w", err))
			return
		}
		defer f.Close()
		r := &eventReader{dir: dir, how: how, file: f.Name(), seq: from.seq}
		defer r.close()
		r.lines = lineReader{r: bufio.NewReaderSize(io.NewSectionReader(f, from.at, 1<<62), 64<<10), at: from.at}
		for {
			e, err := r.next()
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// eventReader decodes lines.
type eventReader struct {
	dir   string
	file  string
	how   texting
	seq   int64 // of the last event
	lines lineReader
	texts *textReader // opened when the first text is needed
}

func (r *eventReader) close() {
	if r.texts != nil {
		r.texts.close()
	}
}

// next returns io.EOF at the end, also when only a torn line follows.
func (r *eventReader) next() (placed, error) {
	line, err := r.lines.next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("read the run's log: %w", err)
		}
		return placed{}, err
	}
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		if _, more := r.lines.next(); errors.Is(more, io.EOF) {
			return placed{}, io.EOF
		}
		return placed{}, r.damaged(err)
	}
	if e.Seq != r.seq+1 {
		return placed{}, r.damaged(fmt.Errorf("event %d follows event %d", e.Seq, r.seq))
	}
	r.seq = e.Seq
	e.Data, err = mapTexts(e.Data, r.text)
	if err != nil {
		return placed{}, r.damaged(err)
	}
	return placed{e, r.lines.at}, nil
}

func (r *eventReader) damaged(err error) error {
	return fmt.Errorf("the run's log is damaged: %s, line %d: %w", r.file, r.seq+1, err)
}

// text fills a text in, or ties it to its side file.
func (r *eventReader) text(t Text) (Text, error) {
	if t.ref == nil {
		return t, nil
	}
	t.ref.file = filepath.Join(r.dir, textsFile)
	if r.how == leave {
		return t, nil
	}
	if r.texts == nil {
		var err error
		if r.texts, err = openTexts(t.ref.file); err != nil {
			return t, err
		}
	}
	s, err := r.texts.read(t.ref)
	return T(s), err
}
