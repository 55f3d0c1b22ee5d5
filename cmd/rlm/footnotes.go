package main

import (
	"github.com/gorlm/rlm/cmd/rlm/internal/footnotes"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// printFootnotes prints them below the answer where that is on a terminal, else on stderr.
func (a *app) printFootnotes(how showing, res runner.Result) {
	to := a.out
	if !to.Terminal() {
		to = a.err
		if how.quiet {
			return
		}
	}
	for _, line := range footnotes.Lines(trajectory.RunEnded{
		Evidence: res.Evidence, UnknownMarks: res.UnknownMarks, Unverified: res.Unverified, Unsupported: res.Unsupported,
	}) {
		_ = to.Styled(to.Paint(screen.Faint, line) + "\n") // the answer itself is out, and all of this is in the log
	}
}
