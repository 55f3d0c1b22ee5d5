package html

import (
	"context"
	"io"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outline is the result of the first pass over a page.
type outline struct {
	title, author, description, date, canonical, lang string
	base                                              *url.URL
	xhtml                                             bool
	// numbers of letters: in the page, in the page without its frame, in its main elements, in its articles
	all, body, main, article int
	frames                   bool
	asides                   asides
	inMain, inArticle        []stretch // unclosed ones extend to math.MaxInt
}

// scan reads a page to its end for its metadata and the location of its main text.
func scan(ctx context.Context, in io.Reader, seen view) (o outline, err error) {
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxToken)
	var article, nav struct{ open int }
	var hidden, main skippedElement
	var attrs attributes
	inTitle := false
	for n, at, next := 0, 0, 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return o, ctx.Err()
		}
		kind := z.Next()
		at, next = next, next+len(z.Raw())
		switch kind {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				err = z.Err()
			}
			return o, err
		case html.TextToken:
			switch text := z.Raw(); {
			case inTitle && o.title == "" && len(text) < 4096:
				o.title = strings.TrimSpace(string(z.Text()))
			case hidden.depth > 0 || inTitle:
			default:
				letters := countLetters(text)
				o.all += letters
				o.asides.text(letters)
				if main.depth > 0 {
					o.main += letters
				}
				if article.open > 0 {
					o.article += letters
				}
				if nav.open == 0 || main.depth > 0 || article.open > 0 {
					o.body += letters
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			if kind == html.SelfClosingTagToken && o.xhtml {
				z.NextIsNotRawText()
				if !isVoid(tag) {
					continue
				}
			}
			if hidden.goesOn(tag, nameOf(tag, name), false) {
				continue
			}
			attrs.read(z, more)
			if tag != atom.Title && !isVoid(tag) && seen.hides(tag, nameOf(tag, name), attrs) {
				hidden = skippedElement{tag, nameOf(tag, name), 1}
				continue
			}
			if seen.opens(tag) {
				z.NextIsNotRawText()
			}
			if main.depth == 0 && isMain(tag, attrs) {
				o.inMain = append(o.inMain, stretch{at, math.MaxInt})
			}
			if !isVoid(tag) {
				o.asides.start(at, tag, nameOf(tag, name), attrs, main.depth+article.open > 0)
			}
			switch tag {
			case atom.Frameset:
				o.frames = true
			case atom.Frame:
				if seen.frames {
					o.all += len(attrs.get("src"))
				}
			case atom.Html:
				o.lang = attrs.get("lang")
				o.xhtml = strings.Contains(attrs.get("xmlns"), "xhtml")
			case atom.Title:
				inTitle = true
			case atom.Base, atom.Meta, atom.Link:
				o.meta(tag, attrs)
			case atom.Article:
				if article.open == 0 {
					o.inArticle = append(o.inArticle, stretch{at, math.MaxInt})
				}
				article.open++
			case atom.Nav, atom.Footer, atom.Header, atom.Aside:
				nav.open++
			}
			main.enter(tag, nameOf(tag, name), isMain(tag, attrs))
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if hidden.within(tag, nameOf(tag, name)) {
				continue
			}
			o.asides.end(next, nameOf(tag, name))
			switch tag {
			case atom.Title:
				inTitle = false
			case atom.Article:
				if article.open == 1 {
					o.inArticle[len(o.inArticle)-1].to = next
				}
				article.open = max(0, article.open-1)
			case atom.Nav, atom.Footer, atom.Header, atom.Aside:
				nav.open = max(0, nav.open-1)
			}
			if main.leave(nameOf(tag, name)) {
				o.inMain[len(o.inMain)-1].to = next
			}
		}
	}
}

// isMain reports whether an element is marked as the main text of its page.
func isMain(tag atom.Atom, attrs attributes) bool {
	return tag == atom.Main || tag == atom.Div && attrs.get("role") == "main" ||
		tag == atom.Section && attrs.get("role") == "main"
}

// mainText returns the ranges of the main text: the main elements, or the only article, if it has most of the
// letters outside navigation, header, footer and aside; otherwise the whole page.
func (o outline) mainText() []stretch {
	switch {
	case o.main == o.all:
	case o.main*10 >= o.body*7 && o.main > 0:
		return o.inMain
	case o.main == 0 && len(o.inArticle) == 1 && o.article*10 >= o.body*7:
		return o.inArticle
	}
	return []stretch{{0, math.MaxInt}}
}

func (o *outline) meta(tag atom.Atom, attrs attributes) {
	set := func(to *string, value string) {
		if *to == "" {
			*to = strings.TrimSpace(value)
		}
	}
	switch {
	case tag == atom.Base:
		if u, err := url.Parse(strings.TrimSpace(attrs.get("href"))); err == nil && o.base == nil && u.IsAbs() {
			o.base = u
		}
	case tag == atom.Link:
		if strings.EqualFold(attrs.get("rel"), "canonical") {
			set(&o.canonical, attrs.get("href"))
		}
	}
	name := attrs.get("name")
	if name == "" {
		name = attrs.get("property")
	}
	switch strings.ToLower(name) {
	case "author", "dc.creator", "dcterms.creator", "citation_author":
		set(&o.author, attrs.get("content"))
	case "description", "og:description", "dcterms.description":
		set(&o.description, attrs.get("content"))
	case "og:title":
		set(&o.title, attrs.get("content"))
	case "date", "dc.date", "dcterms.date", "article:published_time", "citation_publication_date", "last-modified":
		set(&o.date, attrs.get("content"))
	case "og:url":
		set(&o.canonical, attrs.get("content"))
	}
}

// countLetters counts characters other than white space, without decoding.
func countLetters(text []byte) (n int) {
	for _, b := range text {
		if b > ' ' && utf8.RuneStart(b) {
			n++
		}
	}
	return n
}
