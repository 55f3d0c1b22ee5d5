package terminal

import (
	"fmt"
	"io"

	"github.com/gorlm/rlm/internal/front/terminal/footnotes"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ShowVerification prints whether the evidence of an answer still holds, and what supports the answer's values.
func ShowVerification(out *screen.Output, v runner.Verification) {
	out.Wrap()
	holds := 0
	for _, p := range v.Passages {
		line := footnotes.Passage(p.Evidence) + " · " + string(p.State)
		if p.State == runner.PassageMoved {
			line = fmt.Sprintf("%s to line %d", line, p.Line)
		}
		if p.State == runner.PassageHolds || p.State == runner.PassageMoved {
			holds++
		}
		if p.Stood {
			line += ", but it was in the text that the run read"
		}
		fmt.Fprintln(out, line)
	}
	for _, m := range v.UnknownMarks {
		fmt.Fprintf(out, "%s refers to no passage\n", m)
	}
	for _, q := range v.Unverified {
		fmt.Fprintln(out, footnotes.NotThere(q))
	}
	for _, d := range v.Changed {
		what := "has changed since the run"
		if d.State == runner.DocumentGone {
			what = "is gone"
		}
		fmt.Fprintf(out, "%s %s\n", d.Name, what)
	}
	if v.Unsupported != "" {
		fmt.Fprintf(out, "evidence was required: %s\n", v.Unsupported)
	}
	printPlaces(out, v.Grounding)
	if len(v.Passages) == 0 {
		fmt.Fprintln(out, "the answer cites no passage")
		return
	}
	hold := "hold"
	if len(v.Passages) == 1 {
		hold = "holds"
	}
	fmt.Fprintf(out, "%d of %s %s\n", holds, units.Of(len(v.Passages), "passage"), hold)
}

// mostPlaces is the maximum number of values listed with their places.
const mostPlaces = 40

// printPlaces lists where the run found each value of an answer.
func printPlaces(out io.Writer, g *trajectory.Grounding) {
	if g == nil {
		return
	}
	listed := 0
	for _, v := range g.Values {
		if v.Neutral || !v.Grounded {
			continue
		}
		if listed++; listed <= mostPlaces {
			fmt.Fprintf(out, "%s · %s\n", text.Line(v.Value, 60), v.Where)
		}
	}
	if listed > mostPlaces {
		fmt.Fprintf(out, "and %d more values that were found (--json lists all)\n", listed-mostPlaces)
	}
	if line := g.NotFound(); line != "" {
		fmt.Fprintln(out, line)
	}
}
