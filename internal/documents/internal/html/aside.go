package html

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// Largest size of an aside, in percent of the page's letters, by the kind of evidence for it.
const (
	mostByTag   = 60
	mostByWord  = 30
	mostAsides  = 10_000 // asides that are considered
	deepAsides  = 32     // levels of nesting
	leastOfPage = 10     // percent that must remain; otherwise there are no asides
)

// asides finds everything beside the main text of a page, such as navigation, comments and links to other pages:
// small enough elements with such a tag, role or class.
type asides struct {
	open  []candidate
	found []candidate
}

type candidate struct {
	stretch
	name    string
	depth   int // open elements with its name
	letters int
	most    int // maximum size, in percent of the page
}

func (a *asides) text(letters int) {
	for i := range a.open {
		a.open[i].letters += letters
	}
}

func (a *asides) start(at int, tag atom.Atom, name string, attrs attributes, inText bool) {
	for i := range a.open {
		if a.open[i].name == name {
			a.open[i].depth++
		}
	}
	if isMain(tag, attrs) {
		a.open = a.open[:0]
		return
	}
	if most := beside(tag, attrs, inText); most > 0 && len(a.open) < deepAsides && len(a.found) < mostAsides {
		a.open = append(a.open, candidate{stretch: stretch{from: at}, name: name, depth: 1, most: most})
	}
}

func (a *asides) end(to int, name string) {
	for i := len(a.open) - 1; i >= 0; i-- {
		if a.open[i].name != name {
			continue
		}
		if a.open[i].depth--; a.open[i].depth == 0 {
			a.open[i].to = to
			a.found = append(a.found, a.open[i])
			a.open = a.open[:i]
		}
	}
}

// chosen returns the elements that are small enough, given the letters of the page; none if hardly any text would
// remain.
func (a *asides) chosen(all int) (chosen []stretch) {
	slices.SortFunc(a.found, func(a, b candidate) int { return cmp.Compare(a.from, b.from) })
	left, to := all, 0
	for _, c := range a.found {
		if c.from >= to && c.letters > 0 && c.letters*100 <= all*c.most {
			chosen = append(chosen, c.stretch)
			left, to = left-c.letters, c.to
		}
	}
	if left*100 < all*leastOfPage {
		return nil
	}
	return chosen
}

// beside returns how many percent of the page an element may have as an aside; 0 if it is not an aside.
func beside(tag atom.Atom, attrs attributes, inText bool) int {
	switch tag {
	case atom.Nav, atom.Footer, atom.Aside:
		return mostByTag
	case atom.Header:
		if !inText {
			return mostByTag
		}
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Dl, atom.Form, atom.Fieldset, atom.P:
	default:
		return 0
	}
	switch attrs.get("role") {
	case "navigation", "banner", "complementary", "contentinfo", "search", "dialog":
		return mostByTag
	}
	if hasWord(attrs.get("class")) || hasWord(attrs.get("id")) {
		return mostByWord
	}
	return 0
}

// hasWord reports whether a name contains a word for asides: "post-sidebar", "relatedPosts".
func hasWord(name string) bool {
	start := 0
	for i, r := range name {
		if start < i && (!unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1]))) {
			if isAsideWord(name[start:i]) {
				return true
			}
			start = i
		}
		if !unicode.IsLetter(r) {
			start = i + 1
		}
	}
	return start < len(name) && isAsideWord(name[start:])
}

func isAsideWord(w string) bool {
	switch strings.ToLower(w) {
	case "ad", "ads", "advert", "advertisement", "banner", "breadcrumb", "breadcrumbs", "colophon", "comment",
		"commentform", "commentlist",
		"comments", "consent", "cookie", "cookies", "copyright", "footer", "login", "menu", "modal", "nav", "navbar",
		"navigation", "newsletter",
		"overlay", "pager", "pagination", "popup", "promo", "recommendations", "recommended", "related", "relatedposts",
		"respond", "share",
		"sharedaddy", "sharing", "sidebar", "signup", "social", "sponsor", "sponsored", "subscribe", "subscription",
		"tags", "textwidget",
		"toolbar", "topbar", "widget", "widgets":
		return true
	}
	return false
}

// stretch is the range of an element in a page.
type stretch struct{ from, to int }

// cuts returns the offsets at which the main text begins, ends, begins again …: the main elements without the
// asides.
func cuts(main, asides []stretch) (places []int) {
	type edge struct{ at, main, aside int }
	var edges []edge
	for _, s := range main {
		edges = append(edges, edge{s.from, 1, 0}, edge{s.to, -1, 0})
	}
	for _, s := range asides {
		edges = append(edges, edge{s.from, 0, 1}, edge{s.to, 0, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.main+a.aside, b.main+b.aside))
	})
	inMain, inAside := 0, 0
	for _, e := range edges {
		inMain, inAside = inMain+e.main, inAside+e.aside
		if reads := inMain > 0 && inAside == 0; reads != (len(places)%2 == 1) {
			places = append(places, e.at)
		}
	}
	return places
}
