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
	readingUnseen = 300 * time.Millisecond // a shorter reading is not shown
	readingLines  = 5 * time.Second        // interval between two lines, if there is no status line
)

// Reading is the progress of reading a context, which takes time if it is large or documents must be converted.
type Reading struct {
	mu     sync.Mutex
	latest trajectory.Reading
	line   func(text string) // prints a line; nil if there is a status line, or nothing to print
	told   time.Duration     // time of the last line since the reading began
	wait   func() string     // describes what delays the reading; nil: nothing does
}

// Wait sets a function that describes what is waited for before the context can be read; nil ends the wait.
func (r *Reading) Wait(says func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait = says
}

// Lines prints the progress to an output every few seconds. It is for use without a status line.
func (r *Reading) Lines(to *screen.Output) {
	r.line = func(text string) { _ = to.Styled(text + "\n") } // a closed output does not end the run
}

// Hear receives the next progress report.
func (r *Reading) Hear(d trajectory.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.Elapsed < r.latest.Elapsed { // another context is being read
		r.told = 0
	}
	r.latest = d
	if r.line != nil && d.Elapsed-r.told >= readingLines {
		r.told = d.Elapsed
		r.line(readingText(d, d.Elapsed))
	}
}

// Status returns the status line for a reading that has taken the time since.
func (r *Reading) Status(since time.Duration) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wait != nil {
		return r.wait() + " · " + since.Round(100*time.Millisecond).String()
	}
	return readingText(r.latest, since)
}

// readingText returns "reading the context · 120 of 300 files · 12s · about 18s left · 40 MB of 100 MB · 80
// converted". The most important parts come first, because a narrow terminal cuts off the end.
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
	case d.Of == 1 && d.Bytes == d.OfBytes && d.Bytes > 0: // one stream, whose length is unknown
		text += " · " + units.Bytes(d.Bytes)
	case d.OfBytes > 0 && d.Bytes > 0:
		text += fmt.Sprintf(" · %s of %s", units.Bytes(min(d.Bytes, d.OfBytes)), units.Bytes(d.OfBytes))
	}
	if d.Conversions > 0 {
		text += fmt.Sprintf(" · %d converted", d.Conversions)
	}
	if d.Made > d.Conversions { // archives contained further documents
		text += " · " + units.Of(d.Made, "document") + " in them"
	}
	return text
}
