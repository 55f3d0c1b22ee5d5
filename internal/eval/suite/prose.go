package suite

import (
	"math/rand/v2"
	"strings"
)

// prose writes sentences about nothing in particular, to hide things in.
type prose struct{ r *rand.Rand }

// thing is a noun with its adjective.
func (p prose) thing() string { return pick(p.r, adjectives) + " " + pick(p.r, nouns) }

func (p prose) person() string { return pick(p.r, firstNames) + " " + pick(p.r, lastNames) }

func (p prose) town() string { return pick(p.r, townStarts) + pick(p.r, townEnds) }

var sentences = phrases(`
	The THING stood where the THING had been, and nobody in TOWN minded.
	PERSON carried a THING past the THING every morning.
	In TOWN they still speak of the THING that PERSON left behind.
	A THING is worth little without a THING, as PERSON liked to say.
	Nobody knew whether the THING belonged to PERSON or to the town of TOWN.
	When the rain came, PERSON put the THING below the THING and waited.
	The road from TOWN to TOWN leads past a THING and a THING.
	It was PERSON who first painted the THING, and PERSON who sold it.
	Some say that the THING was never repaired; others remember the THING in its place.
	PERSON wrote to PERSON about the THING, but the letter stayed in TOWN.
	There was a THING on the table, and beside it lay a THING.
	Every autumn the people of TOWN bring a THING to the THING by the river.
	The THING had cost more than the THING, and it broke sooner.
	At noon PERSON closed the THING and walked home to TOWN.
	What became of the THING is not recorded, although PERSON asked twice.
	The older THING was kept for guests, the newer THING for work.
	PERSON and PERSON agreed on the THING, if on nothing else.
	From the hill above TOWN one sees the THING and, on clear days, the THING.
	They had meant to bring the THING, but PERSON brought a THING instead.
	The THING creaked, the THING did not, and so the night passed.`)

// sentence is one of them, with its words.
func (p prose) sentence() string {
	s := pick(p.r, sentences)
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

// paragraphs writes sentences of about so many tokens in all, a few in each paragraph.
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
