package suite

import (
	"cmp"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reader matches a question with all frames and heads, to find out from its words alone what it asks for.
type reader struct {
	frames []*regexp.Regexp
	labels map[string]int // label of each head
}

func newReader() reader {
	rd := reader{labels: map[string]int{}}
	for label, list := range heads {
		for _, h := range list() {
			rd.labels[h] = label
		}
	}
	for _, f := range frames() {
		var parts []string
		for i, w := range strings.Split(f, " ") {
			bare := strings.TrimRight(w, ",.;:?!")
			switch {
			case bare == "HEAD":
				w = "(?P<head>.+?)" + regexp.QuoteMeta(w[4:])
			case bare == "B" || bare == "A" && i > 0:
				w = "(?P<other>.+?)" + regexp.QuoteMeta(w[1:])
			default:
				w = regexp.QuoteMeta(w)
			}
			parts = append(parts, w)
		}
		rd.frames = append(rd.frames, regexp.MustCompile("^"+strings.Join(parts, " ")+"$"))
	}
	return rd
}

// thing returns the label of a head, with or without an adjective before it, or -1 if the text is not a head.
func (rd reader) thing(text string) int {
	if label, ok := rd.labels[text]; ok {
		return label
	}
	adjective, head, _ := strings.Cut(text, " ")
	if label, ok := rd.labels[head]; ok && slices.Contains(adjectives(), adjective) {
		return label
	}
	return -1
}

// labelsOf returns the labels of all possible readings of a question.
func (rd reader) labelsOf(text string) map[int]bool {
	found := map[int]bool{}
	for _, f := range rd.frames {
		m := f.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		label, all := -1, true
		for i, name := range f.SubexpNames() {
			if i == 0 {
				continue
			}
			what := rd.thing(m[i])
			all = all && what >= 0
			if name == "head" {
				label = what
			}
		}
		if all {
			found[label] = true
		}
	}
	return found
}

// TestLabelsAreCertain checks that every question has exactly one label in all its readings.
func TestLabelsAreCertain(t *testing.T) {
	t.Parallel()
	rd := newReader()
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		label := r.IntN(len(labels))
		text := instance(r, label)
		require.Equal(t, map[int]bool{label: true}, rd.labelsOf(text), "what %q, which is %q, can be read as", text,
			labels[label])
	}
	seen := map[string]int{}
	for label, list := range heads {
		for _, h := range list() {
			other, twice := seen[h]
			assert.False(t, twice, "%q is both %q and %q", h, labels[other], labels[label])
			seen[h] = label
		}
	}
}

// TestNothingAskedForLooksLikeAFrame checks that no head contains the words between two placeholders of a frame,
// which would make the question ambiguous.
func TestNothingAskedForLooksLikeAFrame(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(`\b(?:HEAD|A|B)\b`)
	for _, f := range frames() {
		between := place.Split(f, -1)
		for _, words := range between[1 : len(between)-1] {
			if strings.TrimSpace(words) == "" {
				continue
			}
			for _, list := range heads {
				for _, h := range list() {
					assert.NotContains(t, " "+h+" ", words, "%q holds words of the frame %q", h, f)
				}
			}
		}
	}
}

// Keyword rules learnt from four thousand labelled lines classify at most these shares of other lines correctly.
// Guessing the most common label is right in 0.17.
const (
	wordsAlone  = 0.50 // rules over words
	wordsInTwos = 0.50 // rules over words and pairs of adjacent words
)

// TestNoKeywordDecides trains a small learner, naive Bayes over words and a list of the best single rules, and
// measures its success.
func TestNoKeywordDecides(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	type example struct {
		text  string
		label int
	}
	draw := func(n int) (out []example) {
		for range n {
			label := r.IntN(len(labels))
			out = append(out, example{instance(r, label), label})
		}
		return out
	}
	train, test := draw(4000), draw(2000)
	for name, c := range map[string]struct {
		features func(string) []string
		bound    float64
	}{
		"words":          {words, wordsAlone},
		"words in pairs": {func(s string) []string { return append(words(s), twos(s)...) }, wordsInTwos},
	} {
		count := make([]map[string]float64, len(labels))
		for i := range count {
			count[i] = map[string]float64{}
		}
		total := make([]float64, len(labels))
		for _, e := range train {
			total[e.label]++
			for _, f := range c.features(e.text) {
				count[e.label][f]++
			}
		}
		bayes, rule := 0, 0
		for _, e := range test {
			var sum, best [6]float64
			for _, f := range c.features(e.text) {
				all := 0.0
				for l := range labels {
					all += count[l][f]
				}
				for l := range labels {
					p := (count[l][f] + 1) / (total[l] + 2)
					sum[l] += math.Log(p)
					if all >= 5 { // the surest rule decides, among those for words that are frequent enough
						best[l] = max(best[l], (count[l][f]+1)/(all+6))
					}
				}
			}
			if largest(sum[:]) == e.label {
				bayes++
			}
			if largest(best[:]) == e.label {
				rule++
			}
		}
		for learner, hits := range map[string]int{"naive Bayes": bayes, "the surest rule": rule} {
			share := float64(hits) / float64(len(test))
			t.Logf("%s over %s: %.2f", learner, name, share)
			assert.LessOrEqual(t, share, c.bound, "the share of the lines in which %s over %s is right", learner, name)
		}
	}
}

func words(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.;:?!", r) })
	slices.Sort(list)
	return slices.Compact(list)
}

func twos(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.;:?!", r) })
	var out []string
	for i := 1; i < len(list); i++ {
		out = append(out, list[i-1]+" "+list[i])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func largest(of []float64) int {
	at := 0
	for i := range of {
		if cmp.Compare(of[i], of[at]) > 0 {
			at = i
		}
	}
	return at
}
