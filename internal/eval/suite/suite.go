// Package suite makes the questions of evaluations: from a seed, at any length, with answers that are right by
// construction.
package suite

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Item is one question over one context.
type Item struct {
	ID       string `json:"id"`
	Suite    string `json:"suite,omitempty"`
	Length   int    `json:"length,omitempty"` // requested tokens of the context
	Question string `json:"question"`
	// Documents are the context, in order.
	Documents []Document      `json:"documents"`
	Answer    json.RawMessage `json:"answer"` // the right answer, in the scorer's form
	Scorer    string          `json:"scorer"`
	// Kind groups items of a suite that ask for the same thing.
	Kind string `json:"kind,omitempty"`
}

// Document is one text of a context.
type Document struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Suite makes items of one sort.
type Suite struct {
	Name  string
	About string // one line for people
	// kinds are the kinds of its items, used in turn.
	kinds []kind
}

// kind makes items that ask for the same thing, over a context of a given length in tokens.
type kind struct {
	name string
	make func(r *rand.Rand, tokens int) Item
}

// All returns the suites in the order of the list.
func All() []Suite {
	return []Suite{niah(), oolong(), pairs(), tables(), hops(), code(), absent()}
}

// Named finds a suite.
func Named(name string) (Suite, error) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Suite{}, fmt.Errorf("there is no suite %q: use %s", name, strings.Join(names, ", "))
}

// Shortest is the minimal requested length of a context, in tokens.
const Shortest = 1000

// Item makes the i-th item of a length. The same seed, length and number make the same item on every machine.
func (s Suite) Item(seed uint64, length, i int) Item {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d %d", s.Name, seed, length, i) // a hash never fails
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	k := s.kinds[i%len(s.kinds)]
	item := k.make(r, max(length, Shortest))
	item.ID = fmt.Sprintf("%s-%d-%d-%d", s.Name, length, seed, i)
	item.Suite, item.Length, item.Kind = s.Name, length, k.name
	return item
}

// right returns an answer as JSON.
func right(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and lists of them always encode
	}
	return data
}

// fresh makes a text that was not seen before, and records it. If a long context has used up nearly all texts,
// fresh joins two or more.
func fresh(seen map[string]bool, joint string, make func() string) string {
	const enough = 20
	for try := 0; ; try++ {
		s := make()
		for range try / enough {
			s += joint + make()
		}
		if !seen[s] {
			seen[s] = true
			return s
		}
	}
}

// pick returns a random element of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// some returns n different elements of a list, in random order.
func some[T any](r *rand.Rand, list []T, n int) []T {
	order := r.Perm(len(list))
	out := make([]T, n)
	for i := range out {
		out[i] = list[order[i]]
	}
	return out
}

// fill calls next for pieces of text until they have about length tokens together, and returns the pieces.
func fill(length int, next func() string) []string {
	var pieces []string
	for have := 0; have < length; {
		piece := next()
		pieces = append(pieces, piece)
		have += text.CountTokens(piece) + 1
	}
	return pieces
}

// one is a context of one document.
func one(name, text string) []Document { return []Document{{name, text}} }
