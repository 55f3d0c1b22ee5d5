package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
)

// view shows a run on stderr while it happens: lines that stay, and on a terminal a last line that is
// kept current. It reads the events and nothing else.
type view struct {
	out     *screen.Output
	live    bool // there is a status line
	quiet   bool
	verbose bool

	read  *reading
	began time.Time

	mu      sync.Mutex
	p       progress.Progress
	hasText bool            // the context is read
	begun   bool            // the run is
	drawn   time.Time       // when the status line was written
	printed string          // the unfinished last line of what a cell prints
	subs    time.Time       // when sub-calls were last told, without a status line
	told    int             // how many had ended then
	aside   map[string]bool // by path: the call under way asks for a summary
	stop    chan struct{}
	stopped sync.WaitGroup
}

// newView watches a run; close it when the run is over.
func newView(out *screen.Output, how showing, read *reading) *view {
	v := &view{out: out, read: read, began: time.Now(), quiet: how.quiet, verbose: how.verbose, stop: make(chan struct{}), aside: map[string]bool{}}
	if out.Terminal() && !how.quiet && os.Getenv("TERM") != "dumb" {
		v.live = true
		v.stopped.Go(v.tick)
	}
	return v
}

// tick keeps the status line current while nothing happens.
func (v *view) tick() {
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

// close leaves the screen as the lines that stay have it.
func (v *view) close() {
	close(v.stop)
	v.stopped.Wait()
	v.out.Status("")
}

// add shows one event.
func (v *view) add(ev trajectory.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.p.Add(ev)
	if v.quiet {
		return
	}
	depth := ""
	if ev.Path != "" {
		depth = "  child " + ev.Path + " · "
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		if ev.Path == "" {
			v.begun = true
			v.line("run %s · %s · sandbox %s", d.Run, modelsLine(d), d.Sandbox)
		}
	case trajectory.ContextAdded:
		v.context(depth, d)
	case trajectory.TurnStarted:
		v.aside[ev.Path] = d.Kind == "summary"
	case trajectory.Warned:
		if d.About == "context" && !v.begun { // what was left out has its own line
			break
		}
		v.line("warning: %s", d.Text)
	case trajectory.CallRetried:
		v.line("%s%s", depth, progress.Retry(d, d.Wait))
	case trajectory.FellBack:
		v.line("%s%s", depth, progress.FellBack(d))
	case trajectory.ReplyReceived:
		what := fmt.Sprintf("turn %d · reply", ev.Turn)
		if v.aside[ev.Path] {
			what = "summary of older messages"
		}
		v.line("%s%s of %s in %s%s", depth, what, quantity.About(d.Usage.Completion, "token"), short(d.Duration), tries(d.Attempts))
	case trajectory.CellStarted:
		if v.verbose && !d.Own {
			v.source(depth, ev.Turn, d)
		}
	case trajectory.EngineMoved:
		if v.verbose {
			v.line("%sturn %d · cell %d goes on in the %s engine: %s", depth, ev.Turn, d.Cell, d.To, d.Why)
		}
	case trajectory.CellPrinted:
		if (v.live || v.verbose) && ev.Path == "" {
			v.print(d.Text)
		}
	case trajectory.CellEnded:
		v.cell(depth, ev, d)
	case trajectory.SubCallEnded:
		v.subCall(depth, d)
	case trajectory.Nudged:
		v.line("%sturn %d · reminder to the model (%s)", depth, ev.Turn, strings.ReplaceAll(d.Guard, "_", " "))
	case trajectory.SignalIgnored:
		v.line("%sturn %d · %s was not counted: %s", depth, ev.Turn, d.Signal, d.Reason)
	case trajectory.LimitReached:
		v.line("%slimit reached: %s, %s of %s", depth, d.Limit, d.Used, d.Bound)
	case trajectory.Compacted:
		v.line("%s%s summarised", depth, quantity.Of(d.Messages, "older message"))
	}
	v.status()
}

func modelsLine(d trajectory.RunStarted) string {
	if d.SubModel == "" || d.SubModel == d.Model {
		return d.Model
	}
	return d.Model + " with " + d.SubModel
}

func tries(attempts int) string {
	if attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d tries)", attempts)
}

func (v *view) context(depth string, d trajectory.ContextAdded) {
	if v.hasText = true; v.live {
		v.out.Status("")
	}
	v.line("%scontext: %s, %s", depth, quantity.Of(d.Documents, "document"), quantity.Bytes(d.Size))
	v.leftOut(depth, d)
}

// leftOut names the first files that are not part of a context, with the reasons.
func (v *view) leftOut(depth string, d trajectory.ContextAdded) {
	if n := len(d.Skipped); n > 0 {
		v.line("%sleft out: %s%s", depth, strings.Join(d.Skipped[:min(n, 5)], ", "), more(n-5))
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// cell tells how a cell ended, and why if it failed.
func (v *view) cell(depth string, ev trajectory.Event, d trajectory.CellEnded) {
	v.flush()
	v.subCalls()
	how := "ok"
	var res repl.Result
	_ = decode(d.Result, &res) // a result of another version shows without its value
	if !d.OK {
		how = d.ErrorKind
		if res.Error != nil {
			first, _, _ := strings.Cut(res.Error.Message, "\n")
			how += ": " + first
		}
	}
	v.line("%sturn %d · cell %d %s", depth, ev.Turn, d.Cell, how)
	if v.verbose {
		v.value(res)
	}
}

// source shows a cell before it runs.
func (v *view) source(depth string, turn int, d trajectory.CellStarted) {
	v.line("%sturn %d · cell %d:", depth, turn, d.Cell)
	for l := range strings.Lines(strings.TrimRight(d.Source, "\n")) {
		v.output("│ " + strings.TrimRight(l, "\r\n"))
	}
}

// value shows what a cell's last expression came to, and an error beyond its first line.
func (v *view) value(res repl.Result) {
	text := res.Value
	if res.Error != nil {
		_, text, _ = strings.Cut(res.Error.Message, "\n")
	}
	if text = strings.TrimRight(text, "\n"); text == "" {
		return
	}
	for l := range strings.Lines(text) {
		v.output("= " + strings.TrimRight(l, "\r\n"))
	}
}

// subCall tells of failures at once, and of progress every few seconds where there is no status line.
func (v *view) subCall(depth string, d trajectory.SubCallEnded) {
	if d.Error != "" {
		v.line("%scell %d · sub-call failed: %s", depth, d.Cell, d.Error)
	}
	if time.Since(v.subs) > 2*time.Second {
		v.subCalls()
	}
}

// subCalls tells how many have ended, unless that is known already or the status line has it.
func (v *view) subCalls() {
	if !v.live && v.p.SubDone > v.told {
		v.subs, v.told = time.Now(), v.p.SubDone
		v.line("%s · %s", v.p.SubCalls(), v.p.Spent())
	}
}

// print shows what a cell prints, line by line.
func (v *view) print(text string) {
	lines := strings.Split(v.printed+text, "\n")
	v.printed = lines[len(lines)-1]
	if len(v.printed) > 4096 {
		v.printed = v.printed[:4096]
	}
	const most = 12 // of one piece; the rest is in the trajectory
	for i, l := range lines[:len(lines)-1] {
		if i == most && !v.verbose {
			v.line("  … %s", quantity.Of(len(lines)-1-most, "more line"))
			break
		}
		v.output(l)
	}
}

// flush shows a last line of output that had no line end.
func (v *view) flush() {
	if v.printed != "" {
		v.output(v.printed)
		v.printed = ""
	}
}

// output shows a line of a cell, set apart from the view's own.
func (v *view) output(text string) {
	text = "  " + screen.Line(text)
	if v.live && !v.verbose { // long lines of output would push everything else away
		columns, _ := v.out.Size()
		text = ansi.Truncate(text, max(10, columns-1), "…")
	}
	v.write(v.out.Paint(screen.Faint, v.out.Fit(text)))
}

// line writes a line that stays.
func (v *view) line(format string, args ...any) {
	if !v.quiet {
		v.write(screen.Line(fmt.Sprintf(format, args...)))
	}
}

// write prints a line. A stderr that cannot be written to costs the progress, not the run.
func (v *view) write(text string) { _ = v.out.Styled(text + "\n") }

// status rewrites the status line.
func (v *view) status() {
	if !v.live || time.Since(v.drawn) < 50*time.Millisecond {
		return
	}
	if v.p.Turn == 0 {
		if since := time.Since(v.began); !v.hasText && since >= readingUnseen {
			v.drawn = time.Now()
			v.out.Status(v.read.status(since))
		}
		return
	}
	v.drawn = time.Now()
	v.out.Status(v.p.Line(v.drawn))
}

func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
