package suite

import (
	"math/rand/v2"
	"strings"
)

// prose writes sentences about nothing in particular, in which to hide things.
type prose struct{ r *rand.Rand }

// thing is a noun with an adjective.
func (p prose) thing() string { return pick(p.r, adjectives()) + " " + pick(p.r, nouns()) }

func (p prose) person() string { return pick(p.r, firstNames()) + " " + pick(p.r, lastNames()) }

func (p prose) town() string { return pick(p.r, townStarts()) + pick(p.r, townEnds()) }

var sentences = phrases("sentences")

// sentence returns a sentence with its words filled in.
func (p prose) sentence() string {
	s := pick(p.r, sentences())
	var b strings.Builder
	for {
		at := strings.IndexFunc(s, func(r rune) bool { return r == 'T' || r == 'P' })
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		s = s[at:]
		switch {
		case strings.HasPrefix(s, "THING"):
			b.WriteString(p.thing())
			s = s[len("THING"):]
		case strings.HasPrefix(s, "PERSON"):
			b.WriteString(p.person())
			s = s[len("PERSON"):]
		case strings.HasPrefix(s, "TOWN"):
			b.WriteString(p.town())
			s = s[len("TOWN"):]
		default:
			b.WriteString(s[:1])
			s = s[1:]
		}
	}
}

// paragraphs writes sentences of about length tokens in all, a few per paragraph.
func (p prose) paragraphs(length int) []string {
	return fill(length, func() string {
		var b strings.Builder
		for i := range 4 + p.r.IntN(5) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(p.sentence())
		}
		return b.String()
	})
}
