package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// Comparison says what changed from one evaluation to another.
type Comparison struct {
	Arms []Change `json:"arms"`
	// Items are those whose score changed most, with both scores.
	Items []Moved `json:"items"`
	// Alone are items that only one of the two has.
	Alone int `json:"alone"`
}

// Change is the difference of one arm, B minus A, over the items of both.
type Change struct {
	Arm        string   `json:"arm"`
	N          int      `json:"n"`
	A, B       float64  // means
	Difference Estimate `json:"difference"`
	CostA      *float64 `json:"cost_a"`
	CostB      *float64 `json:"cost_b"`
}

// Moved is an item whose score is another in B.
type Moved struct {
	Arm  string  `json:"arm"`
	Item string  `json:"item"`
	A, B float64 // scores
	RunA string  `json:"run_a,omitempty"`
	RunB string  `json:"run_b,omitempty"`
}

// Compare compares results by arm and item. Arms with other names in both, one each, are taken for the same one.
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
			if other, ok := after[item]; ok {
				x, y = append(x, r), append(y, other)
			} else {
				out.Alone++
			}
		}
		out.Alone += len(after) - len(y)
		if len(x) == 0 {
			continue
		}
		d, _ := paired(y, x) // both have the items
		before1, after1 := add(x, seed), add(y, seed)
		out.Arms = append(out.Arms, Change{
			Arm: name, N: len(x), A: before1.Score.Mean, B: after1.Score.Mean, Difference: d, CostA: before1.Cost, CostB: after1.Cost,
		})
		for i := range x {
			if x[i].Score.Value != y[i].Score.Value {
				out.Items = append(out.Items, Moved{name, x[i].Item, x[i].Score.Value, y[i].Score.Value, x[i].Run, y[i].Run})
			}
		}
	}
	if len(out.Arms) == 0 {
		return out, errors.New("the two evaluations have no item in common")
	}
	slices.SortFunc(out.Items, func(p, q Moved) int {
		return cmp.Or(cmp.Compare(math.Abs(q.B-q.A), math.Abs(p.B-p.A)), cmp.Compare(p.Item, q.Item), cmp.Compare(p.Arm, q.Arm))
	})
	return out, nil
}

// byArm are results by arm and item.
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

// Write writes it for a terminal, with the items that changed most.
func (c Comparison) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "arm\tn\tA\tB\tdifference\t95 %\t")
	for _, a := range c.Arms {
		verdict := "more than noise"
		if a.Difference.Noise() {
			verdict = "within noise"
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%+.3f\t%+.3f to %+.3f\t%s\n", a.Arm, a.N, a.A, a.B, a.Difference.Mean, a.Difference.Low, a.Difference.High, verdict)
	}
	const most = 10
	for i, m := range c.Items {
		if i == most {
			fmt.Fprintf(t, "and %d more\n", len(c.Items)-most)
			break
		}
		fmt.Fprintf(t, "%s\t\t%.3f\t%.3f\t%+.3f\t%s\t\n", m.Arm, m.A, m.B, m.B-m.A, m.Item)
	}
	if c.Alone > 0 {
		fmt.Fprintf(t, "only one of the two has %d of the results\n", c.Alone)
	}
	return t.Flush()
}
