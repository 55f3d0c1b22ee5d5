package html

import (
	"bytes"
	"context"
	"io"
	"math"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/gorlm/rlm/internal/documents/internal/equation"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
)

const (
	// maxToken limits one tag with its attributes, or one script.
	maxToken = 64 << 20
	// maxLink limits the text of a link, in bytes; a longer one counts as unclosed.
	maxLink = 4 << 10
	maxCode = 4 << 20
)

// renderer converts a stream of tags to Markdown. It builds no tree, so its memory does not grow with a page's
// size.
type renderer struct {
	*flow          // output of the innermost table cell, or of the page
	page     *flow // the output of the page
	base     *url.URL
	hidden   skippedElement
	reading  bool       // in the phonetic reading of East Asian characters
	attrs    attributes // attributes of the last tag
	view     view
	tables   []*table
	tooDeep  int // tables nested too deeply, which are read as text
	link     link
	heading  bool
	sup      bool
	math     *equation.Builder // the open formula
	xhtml    bool
	quoting  bool // whether the text is inside pre
	code     bytes.Buffer
	language string
}

type link struct {
	url     string
	open    bool // the tag is open
	started bool // its text has begun
	local   bool // it refers to a place in the page
	note    bool // it refers to a footnote
	from    *flow
	length  int
}

// render reads a page to its end, and writes either the main text, which alternately begins and ends at places, or
// the rest.
func (r *renderer) render(ctx context.Context, in io.Reader, places []int, main bool) error {
	at, inMain := 0, false
	for _, to := range append(places[:len(places):len(places)], math.MaxInt) {
		piece := io.LimitReader(in, int64(to-at))
		var err error
		switch {
		case inMain == main && to > at:
			err = r.read(ctx, piece)
			r.endMath()
			r.endLink()
			r.block(2)
			r.hidden.depth = 0
		case to < math.MaxInt:
			_, err = io.Copy(io.Discard, piece)
		}
		if err != nil {
			r.finish()
			return err
		}
		at, inMain = to, !inMain
	}
	r.finish()
	return r.page.err
}

// read reads a piece of a page. Pieces are divided between tags.
func (r *renderer) read(ctx context.Context, in io.Reader) error {
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxToken)
	for n := 0; ; n++ {
		kind := z.Next()
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r.page.err != nil {
			return r.page.err
		}
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return err
			}
			return nil
		case html.TextToken:
			switch text := string(z.Text()); {
			case r.hidden.depth > 0:
			case r.math != nil:
				r.math.Text(text)
			default:
				r.addText(text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			closed := kind == html.SelfClosingTagToken && (r.xhtml || r.hidden.depth > 0 || r.math != nil)
			if closed || r.view.opens(tag) {
				z.NextIsNotRawText()
			}
			r.startTag(tag, nameOf(tag, name), more, z, closed)
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			r.endTag(tag, nameOf(tag, name))
		}
	}
}

// nameOf returns the name of a tag, without allocating for known tags.
func nameOf(tag atom.Atom, name []byte) string {
	if tag != 0 {
		return tag.String()
	}
	return string(name)
}

func (r *renderer) startTag(tag atom.Atom, name string, more bool, z *html.Tokenizer, closed bool) {
	if r.hidden.goesOn(tag, name, closed) {
		return
	}
	attrs := r.attrs.read(z, more)
	if !isVoid(tag) && r.view.hides(tag, name, attrs) {
		if !closed {
			r.hidden = skippedElement{tag, name, 1}
		}
		return
	}
	if r.inMath(tag) {
		if r.math == nil {
			r.math = &equation.Builder{}
		}
		r.math.Open(name)
		if closed {
			r.math.Close(name)
		}
		return
	}
	r.open(tag, attrs)
	if closed && !isVoid(tag) {
		r.shut(tag)
	}
}

func (r *renderer) endTag(tag atom.Atom, name string) {
	if r.hidden.within(tag, name) {
		return
	}
	if r.inMath(tag) {
		if r.math != nil {
			r.math.Close(name)
		}
		if tag == atom.Math {
			r.endMath()
		}
		return
	}
	r.shut(tag)
}

// inMath reports whether a tag belongs to a formula. A block ends an unclosed formula.
func (r *renderer) inMath(tag atom.Atom) bool {
	if isBlock(tag) || tag == atom.Table {
		r.endMath()
	}
	return tag == atom.Math || r.math != nil
}

func (r *renderer) endMath() {
	if m := r.math; m != nil {
		r.math = nil
		r.addText(m.String())
	}
}

func (r *renderer) endReading() {
	if r.reading {
		r.write(")")
		r.reading = false
	}
}

// open handles the opening tag of a visible element.
func (r *renderer) open(tag atom.Atom, attrs attributes) {
	if r.quoting && tag != atom.Br {
		if tag == atom.Code && r.language == "" {
			r.language = languageOf(attrs.get("class"))
		}
		return
	}
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.paragraph()
		if !r.link.open || !r.link.started {
			r.hashes = strings.Repeat("#", int(tag.String()[1]-'0')) + " "
			r.heading = true
			r.markBlocks()
		}
	case atom.Br:
		switch {
		case r.quoting:
			r.code.WriteByte('\n')
		case r.heading || r.link.open:
			r.space = true
		default:
			r.block(1)
		}
	case atom.Hr:
		r.paragraph()
	case atom.Frame:
		if name := strings.TrimSpace(attrs.get("name")); r.view.frames && attrs.get("src") != "" {
			r.paragraph()
			r.addText(strings.TrimSpace("Frame "+name) + ": " + attrs.get("src"))
			r.paragraph()
		}
	case atom.Pre, atom.Listing, atom.Xmp:
		r.paragraph()
		r.quoting = true
		r.code.Reset()
		r.language = languageOf(attrs.get("class"))
	case atom.Code, atom.Kbd, atom.Samp:
		if tag == atom.Code && !r.link.open {
			r.lead()
			r.write("`")
		}
	case atom.Ul, atom.Menu, atom.Dir:
		r.endLink()
		r.markList()
		r.flow.open("ul", 1, "")
	case atom.Ol:
		r.endLink()
		r.markList()
		r.flow.open("ol", number(attrs.get("start"), 1), attrs.get("type"))
	case atom.Li:
		r.endLink()
		r.entry(number(attrs.get("value"), -1))
	case atom.Blockquote:
		r.endLink()
		r.flow.open("blockquote", 0, "")
	case atom.Dt:
		r.close("dd")
		r.paragraph()
	case atom.Dd:
		r.close("dd")
		r.flow.open("dd", 0, "")
		r.breaks = 1
		r.marker = ": "
	case atom.Table:
		r.endLink()
		r.beginTable(attrs)
	case atom.Tr, atom.Td, atom.Th, atom.Caption:
		r.openInTable(tag, attrs)
	case atom.A:
		r.endLink()
		r.link = link{
			url: r.resolve(attrs.get("href")), open: true, from: r.flow,
			local: strings.HasPrefix(attrs.get("href"), "#"),
		}
	case atom.Img, atom.Area:
		r.image(attrs)
	case atom.Input:
		switch strings.ToLower(attrs.get("type")) {
		case "checkbox", "radio":
			box := "[ ]"
			if _, ok := attrs.find("checked"); ok {
				box = "[x]"
			}
			r.addText(box + " ")
		case "", "text", "email", "number", "tel", "url", "date":
			r.addText(" " + attrs.get("value") + " ")
		}
	case atom.Sup:
		r.sup = true
	case atom.Rt:
		r.endReading()
		r.write("(")
		r.reading = true
	case atom.Q:
		r.addText("“")
	case atom.Option, atom.Summary, atom.Legend, atom.Figcaption:
		r.line(1)
	default:
		if isBlock(tag) {
			r.line(2)
		}
	}
}

// shut handles the closing tag of a visible element.
func (r *renderer) shut(tag atom.Atom) {
	if r.quoting && tag != atom.Pre && tag != atom.Listing && tag != atom.Xmp {
		return
	}
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.heading, r.hashes = false, ""
		r.paragraph()
	case atom.Pre, atom.Listing, atom.Xmp:
		r.endCode()
	case atom.Code:
		if !r.link.open {
			r.write("`")
		}
	case atom.Ul, atom.Menu, atom.Dir:
		r.endLink()
		r.close("ul")
	case atom.Ol:
		r.endLink()
		r.close("ol")
	case atom.Blockquote:
		r.endLink()
		r.close("blockquote")
	case atom.Dl, atom.Dd:
		r.close("dd")
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		r.shutInTable(tag)
	case atom.A:
		r.endLink()
	case atom.Sup:
		r.sup = false
	case atom.Rt, atom.Ruby:
		r.endReading()
	case atom.Q:
		r.addText("”")
	default:
		if isBlock(tag) {
			r.line(2)
		}
	}
}

// paragraph starts a block. A link that contains blocks stays on one line.
func (r *renderer) paragraph() { r.line(2) }

func (r *renderer) line(n int) {
	if r.heading || r.link.open && r.link.started {
		r.space = r.space || r.some && r.breaks == 0
		if !r.link.open {
			r.heading = false
			r.block(n)
		}
		return
	}
	r.block(n)
}

func (r *renderer) addText(s string) {
	if r.quoting {
		if r.code.Len() < maxCode {
			r.code.WriteString(s)
			return
		}
		r.endCode()
	}
	if r.link.open && !r.link.started && strings.TrimSpace(s) != "" {
		if first := strings.TrimLeftFunc(s, isSpace); len(first) < len(s) {
			r.text(" ")
			s = first
		}
		r.link.note = r.sup && r.link.local
		r.sup = false
		if r.link.url != "" || r.link.note {
			r.lead()
			r.write("[")
		}
		r.link.started = true
	}
	if r.sup && s != "" {
		// 10<sup>6</sup> is not 106.
		if c, d := r.last, s[0]; !r.space && r.breaks == 0 && r.some && isWordByte(c) &&
			(isWordByte(d) || d == '-' || d == '+') {
			r.write("^")
		}
		r.sup = strings.TrimSpace(s) == ""
	}
	if r.link.open {
		if r.link.length += len(s); r.link.length > maxLink {
			r.endLink()
		}
	}
	r.text(s)
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == ')'
}

func (r *renderer) endLink() {
	l := r.link
	r.link = link{}
	switch {
	case !l.open || !l.started || l.from != r.flow:
	case l.note:
		r.write("]")
	case l.url != "":
		r.write("](" + l.url + ")")
	}
}

func (r *renderer) endCode() {
	if !r.quoting {
		return
	}
	r.quoting = false
	text := strings.Trim(strings.ReplaceAll(r.code.String(), "\r\n", "\n"), "\n")
	r.code = bytes.Buffer{}
	if strings.TrimSpace(text) == "" {
		return
	}
	if strings.Contains(text, "\n") {
		r.markBlocks()
	}
	r.block(2)
	r.verbatim(markdown.Fence(text, r.language))
	r.block(2)
}

func (r *renderer) image(attrs attributes) {
	alt := strings.Join(strings.Fields(attrs.get("alt")), " ")
	if alt == "" {
		return
	}
	if r.link.open {
		r.addText(alt)
		return
	}
	r.addText("![" + alt + "](" + r.resolve(attrs.get("src")) + ")")
}

// resolve returns the absolute address of a link; empty for links within the page, scripts and data.
func (r *renderer) resolve(href string) string {
	href = strings.Map(func(c rune) rune {
		if c <= ' ' {
			return -1
		}
		return c
	}, strings.TrimSpace(href))
	scheme, _, ok := strings.Cut(href, ":")
	if href == "" || href[0] == '#' ||
		ok && (strings.EqualFold(scheme, "javascript") || strings.EqualFold(scheme, "data")) {
		return ""
	}
	if r.base != nil {
		if u, err := r.base.Parse(href); err == nil {
			href = u.String()
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(href, "(", "%28"), ")", "%29")
}

// finish closes whatever the page left open.
func (r *renderer) finish() {
	r.endMath()
	r.endLink()
	r.endCode()
	for len(r.tables) > 0 {
		r.endTable()
	}
	r.page.flush()
	if r.page.some && r.page.err == nil {
		_, r.page.err = io.WriteString(r.page.out, "\n")
	}
}
