package eval

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/stat"
)

// Row summarises the results of one arm: over all items, or over those of one suite and length.
type Row struct {
	Suite  string `json:"suite,omitempty"`
	Length int    `json:"length,omitempty"`
	Arm    string `json:"arm"`
	N      int    `json:"n"`

	Score Estimate `json:"score"`
	// Against is the difference to the first arm over the same items; nil for the first arm itself.
	Against *Estimate `json:"against,omitempty"`

	Cost      *float64      `json:"cost"` // US dollars for all items; nil: unknown
	Tokens    int64         `json:"tokens"`
	Wall      time.Duration `json:"wall"` // mean time per item
	ModelTime time.Duration `json:"model_time"`
	Turns     float64       `json:"turns"`     // mean number of turns
	FirstTry  *Estimate     `json:"first_try"` // share of cells that succeeded; nil: there were none
	Calls     int           `json:"calls"`
	Wasted    int           `json:"wasted"`
	Statuses  []Status      `json:"statuses"`
	Grounding []Status      `json:"grounding,omitempty"` // verdicts on the grounding of traced answers
	Guesses   int           `json:"guesses,omitempty"`   // answers before which nothing was looked at
	// Incomplete is the number of answers with replies that were cut, filtered or refused.
	Incomplete int `json:"incomplete,omitempty"`
	Cut        int `json:"cut,omitempty"` // items whose text was cut
	// Agreed is the share of answers with the same verdict of the judge in both orders; nil: none was judged.
	Agreed *Estimate `json:"agreed,omitempty"`
}

// Estimate is a mean with the bounds of its 95 % interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Status is how many runs ended with a status, with the interval of their share.
type Status struct {
	Status string   `json:"status"`
	N      int      `json:"n"`
	Share  Estimate `json:"share"`
}

func estimate(i stat.Interval) Estimate { return Estimate{i.Mean, i.Low, i.High} }

// Report is an evaluation's outcome.
type Report struct {
	Seed uint64 `json:"seed"`
	// All has a row for each arm, Parts one for each suite, length and arm.
	All      []Row        `json:"all"`
	Parts    []Row        `json:"parts"`
	Failures []Result     `json:"failures"` // results without an answer; they count as 0
	Judge    *JudgeReport `json:"judge,omitempty"`
	Rules    []Rule       `json:"rules"` // rules by which answers are scored, the most frequent first
	Results  []Result     `json:"-"`
}

// Rule is a scorer with the number of answers it scored.
type Rule struct {
	Scorer string `json:"scorer"`
	About  string `json:"about,omitempty"` // origin of the rule, if it is another program's
	N      int    `json:"n"`
}

// rules counts the answers of each scorer. Results of older versions name none.
func rules(results []Result) (out []Rule) {
	counts := map[string]int{}
	for _, r := range results {
		if r.Scorer != "" {
			counts[r.Scorer]++
		}
	}
	for name, n := range counts {
		out = append(out, Rule{name, score.About(name), n})
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Or(b.N-a.N, strings.Compare(a.Scorer, b.Scorer)) })
	return out
}

// JudgeReport summarises how a model scored answers.
type JudgeReport struct {
	Model  string   `json:"model"`
	Prompt string   `json:"prompt"`
	N      int      `json:"n"` // answers
	Agreed Estimate `json:"agreed"`
	Cost   *float64 `json:"cost"` // US dollars; nil: unknown
}

// NewReport summarises results. Arms are in the order of their first results; the others are compared with the
// first one.
func NewReport(results []Result, seed uint64) Report {
	rep := Report{Seed: seed, Results: results, Failures: []Result{}, Judge: judging(results), Rules: rules(results)}
	rep.All = rows(results, seed)
	type part struct {
		suite  string
		length int
	}
	var parts []part
	of := map[part][]Result{}
	for _, r := range results {
		p := part{r.Suite, r.Length}
		if of[p] == nil {
			parts = append(parts, p)
		}
		of[p] = append(of[p], r)
		if r.failed() {
			rep.Failures = append(rep.Failures, r)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.suite, b.suite), cmp.Compare(a.length, b.length))
	})
	for _, p := range parts {
		for _, row := range rows(of[p], seed) {
			row.Suite, row.Length = p.suite, p.length
			rep.Parts = append(rep.Parts, row)
		}
	}
	return rep
}

// judging summarises a model's scores; nil if there are none.
func judging(results []Result) *JudgeReport {
	zero := 0.0
	j := JudgeReport{Prompt: JudgePrompt, Cost: &zero}
	agreed := 0
	for _, r := range results {
		if r.Judge == nil {
			continue
		}
		j.Model = r.Judge.Model
		j.N++
		if r.Judge.Agrees() {
			agreed++
		}
		j.Cost = plus(j.Cost, r.Judge.Cost)
	}
	if j.N == 0 {
		return nil
	}
	j.Agreed = estimate(stat.Share(agreed, j.N))
	return &j
}

// plus adds costs. A sum with an unknown cost is unknown.
func plus(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// rows returns a row for each arm.
func rows(results []Result, seed uint64) []Row {
	var arms []string
	of := map[string][]Result{}
	for _, r := range results {
		if of[r.Arm] == nil {
			arms = append(arms, r.Arm)
		}
		of[r.Arm] = append(of[r.Arm], r)
	}
	var out []Row
	for i, arm := range arms {
		row := add(of[arm], seed)
		if i > 0 {
			if d, ok := paired(of[arm], of[arms[0]]); ok {
				row.Against = &d
			}
		}
		out = append(out, row)
	}
	return out
}

func add(results []Result, seed uint64) Row {
	row := Row{Arm: results[0].Arm, N: len(results)}
	zero := 0.0
	row.Cost = &zero
	var scores []float64
	statuses, verdicts, traced := map[string]int{}, map[string]int{}, 0
	turns, cells, ok := 0, 0, 0
	for _, r := range results {
		scores = append(scores, r.Score.Value)
		row.Tokens += r.Prompt + r.Completion
		row.Wall += r.Wall
		row.ModelTime += r.ModelTime
		row.Calls += r.Calls
		row.Wasted += r.Wasted
		turns += r.Turns
		cells += r.Cells
		ok += r.CellsOK
		statuses[r.Status]++
		if r.Grounding != "" {
			verdicts[r.Grounding]++
			traced++
		}
		if r.Guess {
			row.Guesses++
		}
		if r.CutReplies > 0 {
			row.Incomplete++
		}
		if strings.Contains(r.Note, "was cut") {
			row.Cut++
		}
		row.Cost = plus(row.Cost, r.Cost)
	}
	n := len(results)
	row.Score = estimate(stat.Mean(scores, seed))
	row.Wall /= time.Duration(n)
	row.ModelTime /= time.Duration(n)
	row.Turns = float64(turns) / float64(n)
	if cells > 0 {
		e := estimate(stat.Share(ok, cells))
		row.FirstTry = &e
	}
	if j := judging(results); j != nil {
		row.Agreed = &j.Agreed
	}
	row.Statuses, row.Grounding = shares(statuses, n), shares(verdicts, traced)
	return row
}

// shares converts counts to shares of a total, the largest first.
func shares(counts map[string]int, of int) (out []Status) {
	for s, k := range counts {
		out = append(out, Status{s, k, estimate(stat.Share(k, of))})
	}
	slices.SortFunc(out, func(a, b Status) int { return cmp.Or(b.N-a.N, strings.Compare(a.Status, b.Status)) })
	return out
}

// paired returns the difference of two arms over the items that both answered.
func paired(a, b []Result) (Estimate, bool) {
	other := map[string]float64{}
	for _, r := range b {
		other[r.Item] = r.Score.Value
	}
	var x, y []float64
	for _, r := range a {
		if v, ok := other[r.Item]; ok {
			x, y = append(x, r.Score.Value), append(y, v)
		}
	}
	return estimate(stat.Difference(x, y)), len(x) > 0
}

// Noise reports whether the interval of a difference contains 0.
func (e Estimate) Noise() bool { return e.Low <= 0 && e.High >= 0 }
