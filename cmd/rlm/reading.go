package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	readingUnseen = 300 * time.Millisecond // what is read sooner is not worth a word
	readingLines  = 5 * time.Second        // between two lines, where there is no status line
)

// reading is how far the reading of a context is. A large one takes its time, and so do documents that have to be converted.
type reading struct {
	mu     sync.Mutex
	latest trajectory.Reading
	line   func(text string) // writes a line that stays; nil where there is a status line, or nothing is to be told
	told   time.Duration     // of the reading, when a line was written
}

// tellReading has a runner tell how far it is. Where stderr is no terminal, a line says so every few seconds.
func (a *app) tellReading(quiet bool) runner.Option {
	if !quiet && !a.err.Terminal() {
		a.read.line = func(text string) { _ = a.err.Styled(text + "\n") } // a stderr that is closed does not end the run
	}
	return runner.WithReading(a.read.hear)
}

func (r *reading) hear(d trajectory.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.Elapsed < r.latest.Elapsed { // of another context
		r.told = 0
	}
	r.latest = d
	if r.line != nil && d.Elapsed-r.told >= readingLines {
		r.told = d.Elapsed
		r.line(readingText(d, d.Elapsed))
	}
}

// status is the status line for a reading that began some time ago.
func (r *reading) status(since time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return readingText(r.latest, since)
}

// readingText is "reading the context · 120 of 300 files · 12s · about 18s left · 40 MB of 100 MB · 80 converted",
// what matters most first, since a narrow terminal cuts it.
func readingText(d trajectory.Reading, since time.Duration) string {
	text := "reading the context"
	if d.Of > 1 {
		text += fmt.Sprintf(" · %d of %s", d.Documents, quantity.Of(d.Of, "file"))
	}
	text += " · " + since.Round(100*time.Millisecond).String()
	if d.Left > 0 {
		text += " · about " + d.Left.String() + " left"
	}
	switch {
	case d.Of == 1 && d.Bytes == d.OfBytes && d.Bytes > 0: // a stream, of which nobody knows how long it is
		text += " · " + quantity.Bytes(d.Bytes)
	case d.OfBytes > 0 && d.Bytes > 0:
		text += fmt.Sprintf(" · %s of %s", quantity.Bytes(min(d.Bytes, d.OfBytes)), quantity.Bytes(d.OfBytes))
	}
	if d.Conversions > 0 {
		text += fmt.Sprintf(" · %d converted", d.Conversions)
	}
	if d.Made > d.Conversions { // members of archives
		text += " · " + quantity.Of(d.Made, "document") + " in them"
	}
	return text
}
