// Package terminal shows runs to people on a terminal, in a file or a pipe: while they happen, and when they are
// read later.
package terminal

import (
	"os"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/runner/trajectory"
)

// View shows a run in progress on stderr: lines that stay, and on a terminal a status line. It depends only on the
// events. It is safe for concurrent use.
type View struct {
	out     *screen.Output
	live    bool // it has a status line
	quiet   bool
	reading *Reading
	began   time.Time

	mu      sync.Mutex
	log     *transcript.Transcript
	p       progress.Progress
	hasText bool      // the context has been read
	drawn   time.Time // when the status line was written
	subs    time.Time // when a line about sub-calls was last written, if there is no status line
	told    int       // number of sub-calls that had ended at subs
	stop    chan struct{}
	stopped sync.WaitGroup
}

// NewView makes a View of a run. Close it when the run is over.
func NewView(out *screen.Output, quiet, verbose bool, reading *Reading) *View {
	v := &View{
		out: out, quiet: quiet, reading: reading, began: time.Now(),
		log: transcript.New(out.Renderer(), transcript.Steps), stop: make(chan struct{}),
	}
	if verbose {
		v.log.Detail = transcript.Cells
	}
	if out.Terminal() && !quiet && os.Getenv("TERM") != "dumb" {
		v.live, v.log.Output = true, true
		v.stopped.Go(v.tick)
	}
	return v
}

// tick updates the status line even if there are no events.
func (v *View) tick() {
	for t := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-v.stop:
			t.Stop()
			return
		case <-t.C:
			v.mu.Lock()
			v.status()
			v.mu.Unlock()
		}
	}
}

// Close removes the status line.
func (v *View) Close() {
	close(v.stop)
	v.stopped.Wait()
	v.out.Status("")
}

// Add shows an event.
func (v *View) Add(ev trajectory.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.p.Add(ev)
	if v.quiet {
		return
	}
	switch ev.Data.(type) {
	case trajectory.ContextAdded:
		if v.hasText = true; v.live {
			v.out.Status("")
		}
	case trajectory.CellEnded:
		v.subCalls()
	}
	v.write(v.log.Event(ev))
	if _, ended := ev.Data.(trajectory.SubCallEnded); ended && time.Since(v.subs) > 2*time.Second {
		v.subCalls()
	}
	v.status()
}

// subCalls writes how many sub-calls have ended, unless it has already done so or the status line shows it.
func (v *View) subCalls() {
	if !v.live && v.p.SubDone > v.told {
		v.subs, v.told = time.Now(), v.p.SubDone
		v.write(v.p.SubCalls() + " · " + v.p.Spent())
	}
}

// write prints a line. If stderr cannot be written to, the progress is lost, but not the run.
func (v *View) write(text string) {
	if text != "" {
		_ = v.out.Styled(text + "\n")
	}
}

// status rewrites the status line.
func (v *View) status() {
	if !v.live || time.Since(v.drawn) < 50*time.Millisecond {
		return
	}
	if v.p.Turn == 0 {
		if since := time.Since(v.began); !v.hasText && since >= readingUnseen {
			v.drawn = time.Now()
			v.out.Status(v.reading.Status(since))
		}
		return
	}
	v.drawn = time.Now()
	v.out.Status(v.p.Line(v.drawn))
}
