package suite

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// labels are the six categories of TREC's questions, about which OOLONG's best known part asks.
var labels = []string{
	"numeric value", "entity", "location", "description and abstract concept", "abbreviation",
	"human being",
}

const (
	numeric = iota
	entity
	location
	description
	abbreviation
	human
)

// heads are things that a question can ask for, by label. Each clearly belongs to one label.
var heads = []func() []string{
	numeric:      phrases("numeric"),
	entity:       phrases("entity"),
	location:     phrases("location"),
	description:  phrases("description"),
	abbreviation: phrases("abbreviation"),
	human:        phrases("human"),
}

// frames ask for HEAD. The other things they mention (A, B) may have any label, so that the words alone reveal
// little: only the thing asked for counts.
var frames = phrases("frames")

// instance returns a question with a label.
func instance(r *rand.Rand, label int) string {
	thing := func(label int) string {
		if r.IntN(2) == 0 {
			return pick(r, adjectives()) + " " + pick(r, heads[label]())
		}
		return pick(r, heads[label]())
	}
	text := pick(r, frames())
	a, b := thing(r.IntN(len(labels))), thing(r.IntN(len(labels)))
	asked := thing(label)
	var words []string
	for _, w := range strings.Split(text, " ") {
		bare := strings.TrimRight(w, ",.;:?!")
		switch bare {
		case "HEAD":
			w = asked + w[len(bare):]
		case "A":
			if len(words) > 0 {
				w = a + w[len(bare):]
			}
		case "B":
			w = b + w[len(bare):]
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// describeLabels is the head of a context of labelled lines.
func describeLabels(lines int, unit string) string {
	var quoted []string
	for _, l := range labels {
		quoted = append(quoted, "'"+l+"'")
	}
	return fmt.Sprintf("The following lines contain %d general-knowledge questions, one per line. Each line has a User ID, which is not necessarily unique, "+
		"i.e. each User ID can be associated with multiple questions. Each question has an answer that can be described as one of 6 categories: "+
		"%s. The data does not provide the labels; they have to be inferred from what each %s asks for.", lines,
		strings.Join(quoted, ", "), unit)
}
