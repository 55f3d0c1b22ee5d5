package cases

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/grounding"
)

// Score is how well the tracer finds ungrounded values.
type Score struct {
	Cases int `json:"cases"`
	// Values is the number of labelled values, Not of those labelled as not grounded.
	Values int `json:"values"`
	Not    int `json:"not"`
	// Precision is the share of the values reported as not grounded that are labelled so, Recall the share of the
	// values labelled so that are reported.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// Verdicts is the share of correct verdicts.
	Verdicts float64 `json:"verdicts"`
	// NotAsGrounded is the number of cases labelled "not" with the verdict "grounded".
	NotAsGrounded int `json:"not_as_grounded"`
	// Kinds are the figures by kind of case.
	Kinds map[string]*Kind `json:"kinds"`
	// Wrong describes the differences from the labels.
	Wrong []string `json:"-"`
	right int
}

// Kind counts the results for the cases of a kind.
type Kind struct {
	Cases    int `json:"cases"`
	Verdicts int `json:"verdicts"` // correct ones
	Found    int `json:"found"`    // ungrounded values that were reported
	Missed   int `json:"missed"`
	False    int `json:"false"` // grounded values that were reported
}

// Measure traces the cases and compares the results with their labels.
func Measure(all []Case) Score {
	s := Score{Cases: len(all), Kinds: map[string]*Kind{}}
	for _, c := range all {
		k := s.Kinds[c.Kind]
		if k == nil {
			k = &Kind{}
			s.Kinds[c.Kind] = k
		}
		s.measure(c, k)
	}
	found, missed, wrong := 0, 0, 0
	for _, k := range s.Kinds {
		found, missed, wrong = found+k.Found, missed+k.Missed, wrong+k.False
	}
	s.Precision, s.Recall, s.Verdicts = share(found, found+wrong), share(found, found+missed), share(s.right, s.Cases)
	return s
}

func share(a, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(a) / float64(of)
}

// measure compares one case. A label and a value match if the text of one contains the other's.
func (s *Score) measure(c Case, k *Kind) {
	r := grounding.Trace(c.Run())
	k.Cases++
	note := func(format string, args ...any) {
		s.Wrong = append(s.Wrong, c.ID+": "+fmt.Sprintf(format, args...))
	}
	if string(r.Verdict) == c.Verdict {
		k.Verdicts++
		s.right++
	} else {
		note("verdict %s, labelled %s", r.Verdict, c.Verdict)
	}
	if c.Verdict == "not" && r.Verdict == grounding.Grounded {
		s.NotAsGrounded++
	}
	used := make([]bool, len(r.Values))
	for _, l := range c.Values {
		s.Values++
		if !l.Grounded {
			s.Not++
		}
		reported, why := false, ""
		for i, v := range r.Values {
			if alike(v.Value, l.Text) {
				if !v.Grounded {
					reported, why = true, v.Why
				}
				used[i] = true
			}
		}
		switch {
		case reported && !l.Grounded:
			k.Found++
		case reported:
			k.False++
			note("%q is reported (%s), but rests on %s (%s)", l.Text, why, l.Where, l.Why)
		case !l.Grounded:
			k.Missed++
			note("%q is not reported: %s", l.Text, l.Why)
		}
	}
	for i, v := range r.Values {
		if !used[i] && !v.Grounded {
			k.False++
			note("%q is reported and no labelled value", v.Value)
		}
	}
}

// alike reports whether a value and a label refer to the same part of the answer.
func alike(a, b string) bool {
	a, b = plain(a), plain(b)
	return a == b || a != "" && b != "" && (within(a, b) || within(b, a))
}

// within reports whether b contains a as whole words.
func within(a, b string) bool {
	return strings.Contains(" "+b+" ", " "+a+" ")
}

var thousands = regexp.MustCompile(`(\d),(\d{3})\b`)

// counter is a number with what it counts, as in 805隻.
var counter = regexp.MustCompile(`(\d)(\p{Han})`)

func plain(s string) string {
	s = thousands.ReplaceAllString(strings.ToLower(norm.NFKC.String(s)), "$1.$2") // the 1 of "1,500" is no value
	s = counter.ReplaceAllString(s, "$1 $2")
	return strings.Join(strings.FieldsFunc(
		s, func(r rune) bool { return strings.ContainsRune(" \n\t#–±\"'“”„«»[]^()|,;:!?%$€£¥", r) }), " ")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
