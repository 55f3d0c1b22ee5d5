package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

const (
	readingUnseen = 300 * time.Millisecond // what is read sooner is not worth a word
	readingLines  = 5 * time.Second        // between two lines, where there is no status line
)

// Reading is how far the reading of a context is. A large one takes its time, and so do documents that have
// to be converted.
type Reading struct {
	mu     sync.Mutex
	latest trajectory.Reading
	line   func(text string) // writes a line that stays; nil where there is a status line, or nothing is to be told
	told   time.Duration     // of the reading, when a line was written
	wait   string
}

// Wait says what is waited for instead, until it is called with an empty text.
func (r *Reading) Wait(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait = text
}

// Lines has a line written to an output every few seconds, for where there is no status line.
func (r *Reading) Lines(to *screen.Output) {
	r.line = func(text string) { _ = to.Styled(text + "\n") } // an output that is closed does not end the run
}

// Hear takes how far the reading is.
func (r *Reading) Hear(d trajectory.Reading) {
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

// Status is the status line for a reading that began some time ago.
func (r *Reading) Status(since time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wait != "" {
		return r.wait + " · " + since.Round(100*time.Millisecond).String()
	}
	return readingText(r.latest, since)
}

// readingText is "reading the context · 120 of 300 files · 12s · about 18s left · 40 MB of 100 MB · 80
// converted", what matters most first, since a narrow terminal cuts it.
func readingText(d trajectory.Reading, since time.Duration) string {
	text := "reading the context"
	if d.Of > 1 {
		text += fmt.Sprintf(" · %d of %s", d.Documents, units.Of(d.Of, "file"))
	}
	text += " · " + since.Round(100*time.Millisecond).String()
	if d.Left > 0 {
		text += " · about " + d.Left.String() + " left"
	}
	switch {
	case d.Of == 1 && d.Bytes == d.OfBytes && d.Bytes > 0: // a stream, of which nobody knows how long it is
		text += " · " + units.Bytes(d.Bytes)
	case d.OfBytes > 0 && d.Bytes > 0:
		text += fmt.Sprintf(" · %s of %s", units.Bytes(min(d.Bytes, d.OfBytes)), units.Bytes(d.OfBytes))
	}
	if d.Conversions > 0 {
		text += fmt.Sprintf(" · %d converted", d.Conversions)
	}
	if d.Made > d.Conversions { // members of archives
		text += " · " + units.Of(d.Made, "document") + " in them"
	}
	return text
}
