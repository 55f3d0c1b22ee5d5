package suite

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// hops follows facts from one document to the next.
func hops() Suite {
	s := Suite{Name: "hops", About: "facts that lead from document to document, two to four steps"}
	for n := 2; n <= 4; n++ {
		s.kinds = append(s.kinds,
			kind{fmt.Sprintf("%d steps", n), func(r *rand.Rand, length int) Item { return hop(r, length, n) }})
	}
	return s
}

// person is somebody with a page.
type person struct {
	name, born, firm, teacher, product string
}

// link is a fact about a person; the fact may be another person.
type link struct {
	said string // wording of the fact about the person %s
	of   func(person) string
}

// toPerson links to another person, toFact to the fact that the question asks for.
var (
	toPerson = link{"the teacher of %s", func(p person) string { return p.teacher }}
	toFact   = []link{
		{"In which town was %s born?", func(p person) string { return p.born }},
		{"Which firm did %s found?", func(p person) string { return p.firm }},
		{"What did the firm of %s make?", func(p person) string { return p.product }},
	}
)

// pages are templates of a person's page.
var pages = []string{
	"NAME was born in BORN. As a young person NAME learned the trade from TEACHER. Later NAME founded FIRM, which made PRODUCT.",
	"FIRM, the maker of PRODUCT, was founded by NAME, who came from BORN, where the parish book has the birth. All that NAME knew, TEACHER had taught.",
	"It was TEACHER who taught NAME. Born in BORN, NAME went on to found FIRM; it became known for PRODUCT.",
	"Who taught NAME? It was TEACHER. Where was NAME born? In BORN. And FIRM, founded by NAME, what did it make? PRODUCT.",
}

func hop(r *rand.Rand, length, steps int) Item {
	p := prose{r}
	seen := map[string]bool{}
	var people []person
	for range max(length/400, steps+2) {
		people = append(people, person{
			name: fresh(seen, " ", p.person), born: p.town(), product: "the " + fresh(seen, " ", p.thing),
			firm: fresh(seen, " ", func() string { return pick(r, lastNames()) + " & " + pick(r, lastNames()) }),
		})
	}
	for i := range people { // everyone was taught by somebody else
		people[i].teacher = people[(i+1+r.IntN(len(people)-1))%len(people)].name
	}
	byName := map[string]person{}
	for _, one := range people {
		byName[one.name] = one
	}
	start := pick(r, people)
	said, at := "the founder of "+start.firm, start
	for range steps - 2 {
		said, at = fmt.Sprintf(toPerson.said, said), byName[toPerson.of(at)]
	}
	fact := pick(r, toFact)
	if steps == 2 {
		fact = toFact[0] // about the firm itself: any other fact would not add a step
	}
	var docs []Document
	for i, one := range people {
		text := strings.NewReplacer("NAME", one.name, "BORN", one.born, "TEACHER", one.teacher, "FIRM", one.firm,
			"PRODUCT", one.product).Replace(pick(r, pages))
		around := p.paragraphs(max(0, length/len(people)-90))
		if len(around) > 0 {
			k := r.IntN(len(around))
			around[k] += " " + text
		} else {
			around = []string{text}
		}
		docs = append(docs, Document{fmt.Sprintf("page-%04d.txt", i+1), strings.Join(around, "\n\n") + "\n"})
	}
	return Item{
		Question:  fmt.Sprintf(fact.said, said) + " Answer with the name alone.",
		Documents: docs, Answer: right(answers(fact.of(at))), Scorer: "exact",
	}
}

// answers returns the ways to write a name.
func answers(name string) []string {
	if bare, ok := strings.CutPrefix(name, "the "); ok {
		return []string{name, bare, "a " + bare}
	}
	return []string{name, strings.ReplaceAll(name, " & ", " and ")}
}
