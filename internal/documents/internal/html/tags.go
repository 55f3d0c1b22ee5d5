package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// read stores the relevant attributes of a tag, replacing those of the previous tag.
func (a *attributes) read(z *html.Tokenizer, more bool) attributes {
	*a = (*a)[:0]
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href", "src", "alt", "class", "style", "hidden", "aria-hidden", "role", "colspan", "rowspan", "start",
			"value", "type", "checked",
			"name", "property", "content", "charset", "http-equiv", "rel", "lang", "xmlns", "alttext", "datetime", "id",
			"shadowrootmode":
			*a = append(*a, attribute{atom.String(key), string(value)})
		}
	}
	return *a
}

// attributes are the relevant attributes of a tag. The first of each name wins.
type (
	attributes []attribute
	attribute  struct{ name, value string }
)

func (a attributes) get(name string) string {
	value, _ := a.find(name)
	return value
}

func (a attributes) find(name string) (value string, ok bool) {
	for _, one := range a {
		if one.name == name {
			return one.value, true
		}
	}
	return "", false
}

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 && n < 1e9 {
		return n
	}
	return otherwise
}

// languageOf returns the language of code from a class such as "language-go" or "sourceCode python".
func languageOf(class string) string {
	for _, c := range strings.Fields(class) {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
			if lang, ok := strings.CutPrefix(c, prefix); ok && len(lang) < 20 {
				return lang
			}
		}
	}
	return ""
}

// view selects content that is read in addition to the visible content of a page.
type view struct {
	scripts bool // content that scripts reveal, or that is for readers without them
	frames  bool // frames: their fallback content and their names
}

// opens reports whether the content of an element is read although a tokenizer takes it for raw text.
func (v view) opens(tag atom.Atom) bool {
	return tag == atom.Noframes && v.frames || tag == atom.Noscript && v.scripts
}

// hides reports whether an element is invisible.
func (v view) hides(tag atom.Atom, name string, attrs attributes) bool {
	switch tag {
	case atom.Noframes:
		return !v.frames
	case atom.Noscript:
		return !v.scripts
	case atom.Template:
		return attrs.get("shadowrootmode") == "" // if not, it is the content of the element around it
	case atom.Script, atom.Style, atom.Title, atom.Svg, atom.Iframe, atom.Noembed,
		atom.Rp, atom.Datalist:
		return true
	}
	if name == "annotation" || name == "annotation-xml" {
		return true
	}
	if len(attrs) == 0 || v.scripts {
		return false
	}
	if h, ok := attrs.find("hidden"); ok && h != "until-found" {
		return true
	}
	if strings.EqualFold(attrs.get("aria-hidden"), "true") {
		return true
	}
	style := attrs.get("style")
	if style == "" {
		return false
	}
	style = strings.ToLower(strings.ReplaceAll(style, " ", ""))
	for decl := range strings.SplitSeq(style, ";") {
		decl = strings.TrimSuffix(decl, "!important")
		if decl == "display:none" || decl == "visibility:hidden" || decl == "mso-hide:all" {
			return true
		}
	}
	return false
}

func isVoid(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source,
		atom.Track, atom.Wbr, atom.Keygen, atom.Frame:
		return true
	}
	return false
}

func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Dd, atom.Details, atom.Dialog,
		atom.Div, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4,
		atom.H5, atom.H6,
		atom.Header, atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup,
		atom.Option, atom.P, atom.Pre,
		atom.Section, atom.Select, atom.Summary, atom.Table, atom.Td, atom.Th, atom.Tr, atom.Ul, atom.Caption,
		atom.Textarea, atom.Body:
		return true
	}
	return false
}
