package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// niah is the needle in a haystack in RULER's forms: https://github.com/NVIDIA/RULER, scripts/synthetic.yaml.
func niah() Suite {
	return Suite{
		Name:  "s-niah",
		About: "needles in a haystack, as in RULER: numbers, words, UUIDs, one or several, distractors",
		kinds: []kind{
			{"single, number", needle{keys: "words", values: "numbers", k: 1, v: 1, q: 1}.item},
			{"single, word", needle{keys: "words", values: "words", k: 1, v: 1, q: 1}.item},
			{"single, uuid", needle{keys: "words", values: "uuids", k: 1, v: 1, q: 1}.item},
			{"one of four keys", needle{keys: "words", values: "numbers", k: 4, v: 1, q: 1}.item},
			{"among needles", needle{keys: "words", values: "numbers", k: 1, v: 1, q: 1, among: true}.item},
			{"among uuids", needle{keys: "uuids", values: "uuids", k: 1, v: 1, q: 1, among: true}.item},
			{"four values", needle{keys: "words", values: "numbers", k: 1, v: 4, q: 1}.item},
			{"four questions", needle{keys: "words", values: "numbers", k: 4, v: 1, q: 4}.item},
		},
	}
}

// absent asks for needles of which every second one is missing.
func absent() Suite {
	return Suite{
		Name:  "absent",
		About: "needles, every second one missing: does the answer say so, or invent one?",
		kinds: []kind{
			{"present", needle{keys: "words", values: "numbers", k: 4, v: 1, q: 1, doubt: true}.item},
			{"absent", needle{keys: "words", values: "numbers", k: 4, v: 1, q: 1, doubt: true, left: true}.item},
		},
	}
}

// needle configures what is hidden, where, and what is asked.
type needle struct {
	keys, values string // what keys and values are made of: words, numbers, …
	k, v, q      int    // number of keys, values of each, and keys asked for
	among        bool   // hidden among other needles, not in prose
	doubt        bool   // the question allows for a missing needle
	left         bool   // the needle asked for is left out
}

func (n needle) item(r *rand.Rand, length int) Item {
	seen := map[string]bool{}
	next := func(sort string) string { return fresh(seen, "-", func() string { return magic(r, sort) }) }
	say := func(key, value string) string {
		return fmt.Sprintf("One of the special magic %s for %s is: %s.", n.values, key, value)
	}
	var asked, answers, hidden []string
	for i := range n.k {
		key := next(n.keys)
		if i < n.q {
			asked = append(asked, key)
		}
		for range n.v {
			value := next(n.values)
			if i < n.q {
				answers = append(answers, value)
			}
			if i >= n.q || !n.left {
				hidden = append(hidden, say(key, value))
			}
		}
	}
	p := prose{r}
	hay, between := p.sentence, " "
	if n.among {
		hay, between = func() string { return say(next(n.keys), next(n.values)) }, "\n"
	}
	pieces := fill(length, hay)
	for _, h := range hidden {
		pieces = slices.Insert(pieces, r.IntN(len(pieces)+1), h)
	}
	item := Item{Documents: one("text.txt", strings.Join(pieces, between)), Answer: right(answers), Scorer: "contains"}
	item.Question = fmt.Sprintf(
		"What are all the special magic %s for %s mentioned in the provided text?", n.values, and(asked))
	if len(answers) == 1 {
		item.Question = fmt.Sprintf("What is the special magic %s for %s mentioned in the provided text?",
			strings.TrimSuffix(n.values, "s"), asked[0])
	}
	if n.doubt {
		item.Question += ` Answer with it alone. If the text does not mention it, answer "not in the context".`
		item.Scorer = "exact"
	}
	if n.left {
		item.Answer = right([]string{"not in the context", "it is not in the context"})
	}
	return item
}

// magic returns a number of seven digits, two words or a UUID.
func magic(r *rand.Rand, sort string) string {
	switch sort {
	case "numbers":
		return strconv.Itoa(1_000_000 + r.IntN(9_000_000))
	case "uuids":
		a, b := r.Uint64(), r.Uint64()
		a, b = a&^0xF000|0x4000, b&^(3<<62)|2<<62 // version 4, variant 1
		return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xFFFF, a&0xFFFF, b>>48, b&0xFFFFFFFFFFFF)
	}
	return pick(r, adjectives()) + "-" + pick(r, nouns())
}

// and lists names in a sentence.
func and(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + ", and " + names[len(names)-1]
}
