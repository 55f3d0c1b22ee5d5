package builtins

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
)

// Verdicts are the verdicts of models on many items. Indices are those of the items.
type Verdicts struct {
	Labels        []string       // the label of each item; "" if it is missing
	Counts        map[string]int // items by label
	Disagreements []int          // items with different labels in the first two votes
	Missing       []int          // items without a verdict, even after they were asked again
	ErrorRate     float64        // estimated share of wrong verdicts; -1 if no item was asked twice
}

// String omits the labels, because there may be many.
func (v Verdicts) String() string {
	rate := "unknown"
	if v.ErrorRate >= 0 {
		rate = strconv.FormatFloat(100*v.ErrorRate, 'f', 1, 64) + "%"
	}
	return fmt.Sprintf("%s: %v, %s, %d missing, estimated errors %s",
		units.Of(len(v.Labels), "verdict"), v.Counts, units.Of(len(v.Disagreements), "disagreement"), len(v.Missing),
		rate)
}

const (
	mostVotes  = 3
	mostRounds = 3 // how often the same items are asked while some are missing
	mostJudged = 100
	// closeLook is the number of items in a prompt about disputed ones.
	closeLook = 50
	// mostListed bounds the items of one prompt, in bytes.
	mostListed = 60_000
	// dominant is the share of verdicts from which a label counts as common: then only items with other labels are
	// asked again.
	dominant = 0.82
)

func (m *factory) judge(name string) any {
	return func(site *repl.Site, items []string, question string, labels []string, options ...any) Verdicts {
		votes, opts, err := judging(question, labels, options)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		schema, err := verdictSchema(labels)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		j := &jury{
			factory: m, site: site, name: name, items: items, question: strings.TrimSpace(question), labels: labels,
			opts: opts, schema: schema,
		}
		v := j.verdicts(votes)
		noteFailures(site, name, j.errs)
		return v
	}
}

// judging checks the arguments before anything is paid for.
func judging(question string, labels []string, options []any) (votes int, opts []Option, err error) {
	votes = mostVotes
	for _, o := range options {
		switch o := o.(type) {
		case int:
			votes = o
		case Option:
			opts = append(opts, o)
		default:
			return 0, nil, fmt.Errorf("%v (%T) is no option: give a number of votes, or options of sub-calls", o, o)
		}
	}
	distinct := map[string]bool{}
	for _, l := range labels {
		distinct[folded(l)] = true
	}
	switch {
	case votes < 1 || votes > mostVotes:
		err = fmt.Errorf("%s: 1 asks once, 2 finds what differs, 3 settles it", units.Of(votes, "vote"))
	case strings.TrimSpace(question) == "":
		err = errors.New("the question is empty")
	case len(labels) < 2 || len(distinct) < len(labels) || distinct[""]:
		err = errors.New(`there have to be at least two labels that differ, such as []string{"yes", "no"}`)
	}
	return votes, opts, err
}

func folded(label string) string { return strings.ToLower(strings.TrimSpace(label)) }

// verdicts asks about all items, then again in other words, and a third time about those that differ. If nearly all
// items have one label, it asks again only about items with other labels, because errors among these weigh most.
func (j *jury) verdicts(votes int) Verdicts {
	all := make([]int, len(j.items))
	for i := range all {
		all[i] = i
	}
	first := j.ask(0, all)
	v := Verdicts{Labels: first, ErrorRate: -1}
	if votes > 1 {
		again, rare := all, j.common(first)
		if rare != "" {
			again = slices.DeleteFunc(slices.Clone(all), func(i int) bool { return first[i] == rare })
		}
		v.Labels, v.Disagreements, v.ErrorRate = j.compare(first, again, rare, votes)
	}
	v.Counts = map[string]int{}
	for i, label := range v.Labels {
		if label == "" {
			v.Missing = append(v.Missing, i)
			continue
		}
		v.Counts[label]++
	}
	return v
}

// compare asks a second time and settles disagreements.
func (j *jury) compare(first []string, again []int, common string, votes int) ([]string, []int, float64) {
	slices.Reverse(again) // gives items other numbers and neighbours
	second := j.ask(1, again)
	slices.Reverse(again)
	labels, differ := slices.Clone(first), []int(nil)
	twice, lost := 0, 0
	for _, i := range again {
		switch {
		case first[i] == "":
			labels[i] = second[i]
		case second[i] != "":
			twice++
			if second[i] != first[i] {
				differ = append(differ, i)
			}
		}
	}
	if votes > 2 {
		third := j.ask(2, differ)
		for _, i := range differ {
			if third[i] != "" {
				labels[i] = third[i]
			}
			if labels[i] == common {
				lost++
			}
		}
	}
	if twice == 0 {
		return labels, differ, -1
	}
	d := float64(len(differ)) / float64(twice)
	if common != "" { // assumes that rare items are taken for common ones as often as the reverse
		e := float64(lost) / float64(max(1, len(first)-twice+lost))
		return labels, differ, rounded(e * float64(twice) / float64(len(first)))
	}
	// If two independent votes each err with probability e, 2e(1-e) of the items differ; both make the same error
	// with probability e²/(k-1), and the third vote errs with probability e, too.
	e := (1 - math.Sqrt(max(0, 1-2*d))) / 2
	settled := e
	if votes < mostVotes {
		settled = 0.5
	}
	return labels, differ, rounded(e*e/float64(len(j.labels)-1) + d*settled)
}

func rounded(rate float64) float64 { return math.Round(rate*1e5) / 1e5 }

// common returns the label of nearly all items; empty if there is none.
func (j *jury) common(labels []string) string {
	counts, given := map[string]int{}, 0
	for _, l := range labels {
		if l != "" {
			counts[l]++
			given++
		}
	}
	for _, l := range j.labels {
		if n := counts[l]; float64(n) >= dominant*float64(given) && n < given {
			return l
		}
	}
	return ""
}
