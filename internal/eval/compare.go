package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Comparison is what changed from one evaluation to another.
type Comparison struct {
	Arms []Change `json:"arms"`
	// Items are those whose score changed, the largest changes first.
	Items []ScoreChange `json:"items"`
	// Alone counts results that only one of the two has, Other those whose item has another text or question in B.
	Alone int `json:"alone"`
	Other int `json:"other"`
}

// Change is the difference of one arm, B minus A, over the items in both.
type Change struct {
	Arm string `json:"arm"`
	// Settings are the arm's settings in A and B, if they differ.
	Settings   *[2]string `json:"settings,omitempty"`
	N          int        `json:"n"`
	A, B       float64    // mean scores
	Difference Estimate   `json:"difference"`
	CostA      *float64   `json:"cost_a"`
	CostB      *float64   `json:"cost_b"`
}

// ScoreChange is an item whose score differs in B.
type ScoreChange struct {
	Arm  string  `json:"arm"`
	Item string  `json:"item"`
	A, B float64 // scores
	RunA string  `json:"run_a,omitempty"`
	RunB string  `json:"run_b,omitempty"`
}

// Compare compares results by arm and item. If A and B have only one arm each, they are compared even under
// different names.
func Compare(a, b []Result, seed uint64) (Comparison, error) {
	armsA, armsB := byArm(a), byArm(b)
	rename := map[string]string{}
	for name := range armsA {
		rename[name] = name
	}
	if len(armsA) == 1 && len(armsB) == 1 {
		for x := range armsA {
			for y := range armsB {
				rename[x] = y
			}
		}
	}
	var out Comparison
	var names []string
	for name := range armsA {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		before, after := armsA[name], armsB[rename[name]]
		var x, y []Result
		for item, r := range before {
			switch other, ok := after[item]; {
			case !ok:
				out.Alone++
			case !sameText(r, other):
				out.Other++
			default:
				x, y = append(x, r), append(y, other)
			}
		}
		for item := range after {
			if _, ok := before[item]; !ok {
				out.Alone++
			}
		}
		if len(x) == 0 {
			continue
		}
		d, _ := paired(y, x) // both evaluations have these items
		before1, after1 := add(x, seed), add(y, seed)
		change := Change{
			Arm: name, N: len(x), A: before1.Score.Mean, B: after1.Score.Mean, Difference: d, CostA: before1.Cost,
			CostB: after1.Cost,
		}
		if x[0].Settings != y[0].Settings {
			change.Settings = &[2]string{x[0].Settings, y[0].Settings}
		}
		out.Arms = append(out.Arms, change)
		for i := range x {
			if x[i].Score.Value != y[i].Score.Value {
				out.Items = append(out.Items,
					ScoreChange{name, x[i].Item, x[i].Score.Value, y[i].Score.Value, x[i].Run, y[i].Run})
			}
		}
	}
	if len(out.Arms) == 0 {
		return out, errors.New("the two evaluations have no items in common: compare runs with the same suite, length, seed and number, and an arm of the same name")
	}
	slices.SortFunc(out.Items, func(p, q ScoreChange) int {
		return cmp.Or(cmp.Compare(math.Abs(q.B-q.A), math.Abs(p.B-p.A)), cmp.Compare(p.Item, q.Item),
			cmp.Compare(p.Arm, q.Arm))
	})
	return out, nil
}

// byArm groups results by arm and item.
func byArm(results []Result) map[string]map[string]Result {
	out := map[string]map[string]Result{}
	for _, r := range results {
		if out[r.Arm] == nil {
			out[r.Arm] = map[string]Result{}
		}
		out[r.Arm][r.Item] = r
	}
	return out
}

// Write writes the comparison for a terminal, with the items that changed most.
func (c Comparison) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "arm\tn\tA\tB\tdifference\t95 %\t\tcost A\tcost B")
	for _, a := range c.Arms {
		verdict := "more than noise"
		if a.Difference.Noise() {
			verdict = "within noise"
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%+.3f\t%+.3f to %+.3f\t%s\t%s\t%s\n", a.Arm, a.N, a.A, a.B,
			a.Difference.Mean, a.Difference.Low, a.Difference.High, verdict,
			dollars(a.CostA), dollars(a.CostB))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range c.notes() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// notes describe which settings and items changed, and what could not be compared.
func (c Comparison) notes() []string {
	var out []string
	for _, a := range c.Arms {
		if a.Settings != nil {
			out = append(out, "settings of "+a.Arm+":", "  A: "+a.Settings[0], "  B: "+a.Settings[1])
		}
	}
	if len(c.Items) > 0 {
		out = append(out, "items that changed most:")
	}
	const most = 10
	for _, m := range c.Items[:min(len(c.Items), most)] {
		line := fmt.Sprintf("  %s %s: %.3f to %.3f", m.Arm, m.Item, m.A, m.B)
		if m.RunA != "" && m.RunB != "" {
			line += fmt.Sprintf(", runs %s and %s", m.RunA, m.RunB)
		}
		out = append(out, line)
	}
	if n := len(c.Items) - most; n > 0 {
		out = append(out, fmt.Sprintf("  and %d more", n))
	}
	if c.Alone > 0 {
		out = append(out, fmt.Sprintf("%s in only one of the two", units.Of(c.Alone, "result")))
	}
	if c.Other > 0 {
		out = append(out, fmt.Sprintf(
			"%s left out: the item's text or question differs", units.Of(c.Other, "result")))
	}
	return out
}
