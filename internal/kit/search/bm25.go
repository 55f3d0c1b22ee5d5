package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Passage is a part of a text that a search found.
type Passage struct {
	// Offset is the passage's position in bytes from the start of the text, and Line its first line, from 1.
	Offset int
	Line   int
	// Score is the BM25 score; it can only be compared with other scores of the same search.
	Score float64
	// Text is the passage.
	Text string
	// Where is as in Hit.
	Where string
}

// String shows the passage with its line, for output.
func (p Passage) String() string { return placed(p.Where, fmt.Sprintf("%d: %s", p.Line, p.Text)) }

// Index ranks the passages of one text by BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework,
// 2009; k1 = 1.2, b = 0.75). A passage is a paragraph; long ones are cut at line ends and short ones joined.
//
// Terms are hashed into buckets and the postings of all buckets are in one flat array, so that the index of 100 MB
// takes about 70 MB and a second. Errors from shared buckets are removed when the best candidates are read again.
type Index struct {
	text     string
	starts   []int    // offset of each passage, then the length of the text
	lengths  []uint16 // terms in each passage
	average  float64
	buckets  []uint32 // offset of each bucket's postings, then their number
	postings []uint32 // passage << 8 | occurrences
	shift    int
}

const (
	k1         = 1.2
	b          = 0.75
	occurrence = 8 // bits of a posting that count occurrences
)

// NewIndex indexes text, which it refers to without copying it.
func NewIndex(text string) *Index {
	i := NewIndexBuilder(text)
	for {
		if x := i.Step(len(text)); x != nil {
			return x
		}
	}
}

func (x *Index) passage(p int) string { return x.text[x.starts[p]:x.starts[p+1]] }

// Search returns the k best passages for the query, the best one first; fewer if fewer contain any of its words.
func (x *Index) Search(query string, k int) []Passage {
	terms := map[uint64]float64{}
	eachTerm(query, func(h uint64) { terms[h] = 0 })
	scores := map[uint32]float64{}
	for h := range terms {
		postings := x.verified(h)
		n, df := float64(len(x.lengths)), float64(len(postings))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		terms[h] = idf
		for _, post := range postings {
			p := post >> occurrence
			scores[p] += idf * x.weight(float64(post&(1<<occurrence-1)), p)
		}
	}
	return x.best(scores, terms, k)
}

// verified lists the postings of a term. Those of a small bucket are checked against the text, because most of
// them may belong to other terms.
func (x *Index) verified(h uint64) []uint32 {
	const small = 1000
	at := h >> x.shift
	all := x.postings[x.buckets[at]:x.buckets[at+1]]
	if len(all) > small {
		return all
	}
	var own []uint32
	for _, post := range all {
		n := uint32(0)
		eachTerm(x.passage(int(post>>occurrence)), func(other uint64) {
			if other == h && n < 1<<occurrence-1 {
				n++
			}
		})
		if n > 0 {
			own = append(own, post&^(1<<occurrence-1)|n)
		}
	}
	return own
}

// weight is the part of a term's score that depends on the passage.
func (x *Index) weight(occurrences float64, p uint32) float64 {
	return occurrences * (k1 + 1) / (occurrences + k1*(1-b+b*float64(x.lengths[p])/x.average))
}

// best scores the leading candidates again by their text and returns the k best.
func (x *Index) best(scores map[uint32]float64, terms map[uint64]float64, k int) []Passage {
	candidates := make([]uint32, 0, len(scores))
	for p := range scores {
		candidates = append(candidates, p)
	}
	order := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	}
	slices.SortFunc(candidates, order)
	candidates = candidates[:min(len(candidates), max(8*k, 200))]
	for _, p := range candidates {
		counts := map[uint64]float64{}
		eachTerm(x.passage(int(p)), func(h uint64) {
			if _, asked := terms[h]; asked {
				counts[h]++
			}
		})
		scores[p] = 0
		for h, n := range counts {
			scores[p] += terms[h] * x.weight(min(n, 1<<occurrence-1), p)
		}
	}
	slices.SortFunc(candidates, order)
	var out []Passage
	for _, p := range candidates[:min(len(candidates), max(k, 0))] {
		if scores[p] > 0 {
			out = append(out, Passage{
				Offset: x.starts[p], Score: scores[p], Text: strings.TrimRight(x.passage(int(p)), "\r\n"),
			})
		}
	}
	numberLines(x.text, len(out), func(i int) (int, *int) { return out[i].Offset, &out[i].Line })
	return out
}
