package html

import (
	"context"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outline is what a first reading of a page finds out.
type outline struct {
	title, author, description, date, canonical, lang string
	base                                              *url.URL
	xhtml                                             bool
	all, body, main, article                          int // letters: of the page, of it without its frame, of its main elements, of its articles
	articles                                          int // that are in no other
}

// scan reads a page to its end for what stands before its text, and for where most of it stands.
func scan(ctx context.Context, in io.Reader) (o outline, err error) {
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxToken)
	var main, article, nav struct{ open int }
	var hidden skipping
	mainTag, inTitle := atom.Atom(0), false
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return o, ctx.Err()
		}
		switch kind := z.Next(); kind {
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
				if main.open > 0 {
					o.main += letters
				}
				if article.open > 0 {
					o.article += letters
				}
				if nav.open == 0 || main.open > 0 || article.open > 0 {
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
			if hidden.depth > 0 {
				switch {
				case hidden.tag == atom.P && isBlock(tag):
					hidden.depth = 0
				case string(name) == hidden.name && !isVoid(tag):
					hidden.depth++
				}
				if hidden.depth > 0 {
					continue
				}
			}
			attrs := readAttributes(z, more)
			if tag != atom.Title && !isVoid(tag) && isHidden(tag, nameOf(tag, name), attrs) {
				hidden = skipping{tag, nameOf(tag, name), 1}
				continue
			}
			switch tag {
			case atom.Html:
				o.lang = attrs["lang"]
				o.xhtml = strings.Contains(attrs["xmlns"], "xhtml")
			case atom.Title:
				inTitle = true
			case atom.Base, atom.Meta, atom.Link:
				o.meta(tag, attrs)
			case atom.Article:
				if article.open == 0 {
					o.articles++
				}
				article.open++
			case atom.Nav, atom.Footer, atom.Header, atom.Aside:
				nav.open++
			}
			switch {
			case main.open > 0 && tag == mainTag:
				main.open++
			case main.open == 0 && isMain(tag, attrs):
				main.open, mainTag = 1, tag
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if hidden.depth > 0 {
				if string(name) == hidden.name {
					hidden.depth--
				}
				continue
			}
			switch tag {
			case atom.Title:
				inTitle = false
			case atom.Article:
				article.open = max(0, article.open-1)
			case atom.Nav, atom.Footer, atom.Header, atom.Aside:
				nav.open = max(0, nav.open-1)
			}
			if tag == mainTag && main.open > 0 {
				main.open--
			}
		}
	}
}

// isMain says whether an element is the main text of its page, by its own word.
func isMain(tag atom.Atom, attrs attributes) bool {
	return tag == atom.Main || tag == atom.Div && attrs["role"] == "main" || tag == atom.Section && attrs["role"] == "main"
}

func isArticle(tag atom.Atom, _ attributes) bool { return tag == atom.Article }

// mainText says what of the page is its main text, nil for all of it: what the page calls main, or its only article, if that
// holds most of what is not navigation, header, footer or aside.
func (o outline) mainText() func(atom.Atom, attributes) bool {
	switch {
	case o.main == o.all:
		return nil
	case o.main*10 >= o.body*7 && o.main > 0:
		return isMain
	case o.main == 0 && o.articles == 1 && o.article*10 >= o.body*7:
		return isArticle
	}
	return nil
}

func (o *outline) meta(tag atom.Atom, attrs attributes) {
	set := func(to *string, value string) {
		if *to == "" {
			*to = strings.TrimSpace(value)
		}
	}
	switch {
	case tag == atom.Base:
		if u, err := url.Parse(strings.TrimSpace(attrs["href"])); err == nil && o.base == nil && u.IsAbs() {
			o.base = u
		}
	case tag == atom.Link:
		if strings.EqualFold(attrs["rel"], "canonical") {
			set(&o.canonical, attrs["href"])
		}
	}
	name := attrs["name"]
	if name == "" {
		name = attrs["property"]
	}
	switch strings.ToLower(name) {
	case "author", "dc.creator", "dcterms.creator", "citation_author":
		set(&o.author, attrs["content"])
	case "description", "og:description", "dcterms.description":
		set(&o.description, attrs["content"])
	case "og:title":
		set(&o.title, attrs["content"])
	case "date", "dc.date", "dcterms.date", "article:published_time", "citation_publication_date", "last-modified":
		set(&o.date, attrs["content"])
	case "og:url":
		set(&o.canonical, attrs["content"])
	}
}

// countLetters counts what is no space, without decoding.
func countLetters(text []byte) (n int) {
	for _, b := range text {
		if b > ' ' && utf8.RuneStart(b) {
			n++
		}
	}
	return n
}
