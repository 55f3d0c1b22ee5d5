package reply

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"

	"github.com/gorlm/rlm/internal/lazy"
)

// beginHTML begins an HTML block.
func (r *blockReader) beginHTML(line []byte) (openBlock, begun) {
	html := htmlAt(line[r.pos:], r.top() == aParagraph)
	if html == 0 || bytes.IndexByte(line[:r.pos], '\t') >= 0 { // goldmark wants spaces before it
		return openBlock{}, nothing
	}
	b := r.leaf(anHTMLBlock, r.rest())
	b.html = html
	r.toLineEnd()
	return b, aBlock
}

// htmlAt is which of CommonMark's kinds of HTML blocks begins with s, which begins with <; 0 if none does. interrupts says that it would end a paragraph.
func htmlAt(s []byte, interrupts bool) int {
	switch {
	case bytes.HasPrefix(s, []byte("<!--")):
		return 2
	case bytes.HasPrefix(s, []byte("<?")):
		return 3
	case len(s) > 2 && s[1] == '!' && s[2] >= 'A' && s[2] <= 'Z':
		return 4
	case bytes.HasPrefix(s, []byte("<![CDATA[")):
		return 5
	case isVerbatimTag(s[1:]):
		return 1
	}
	t, rest, ok := htmlTag(s)
	if !ok {
		return 0
	}
	if isBlockTag(t.name) {
		if endsTagName(rest) || rest[0] == ' ' || t.whole {
			return 6
		}
		return 0
	}
	if !t.whole || interrupts || t.closes && t.attributes || t.name == "script" || t.name == "style" || t.name == "pre" {
		return 0
	}
	return 7
}

// isVerbatimTag reports whether the name of an element stands here in which text is kept as it is. S has two cases beyond ASCII.
func isVerbatimTag(s []byte) bool {
	if len(s) == 0 || s[0] < utf8.RuneSelf && bytes.IndexByte([]byte("sptSPT"), s[0]) < 0 {
		return false
	}
	for _, name := range [...]string{"script", "pre", "style", "textarea"} {
		rest, long := bytes.CutPrefix(s, []byte(longS))
		if long {
			if name[0] != 's' {
				continue
			}
			name = name[1:]
		}
		if len(rest) >= len(name) && strings.EqualFold(string(rest[:len(name)]), name) {
			rest = rest[len(name):]
			if endsTagName(rest) || util.IsSpace(rest[0]) && rest[0] != '\v' {
				return true
			}
		}
	}
	return false
}

// endsTagName reports whether what stands behind a tag's name ends the tag or the line.
func endsTagName(s []byte) bool {
	return len(s) == 0 || s[0] == '>' || s[0] == '\n' || bytes.HasPrefix(s, []byte("/>")) || string(s) == "\r\n"
}

// tagRead is a tag at the start of a line.
type tagRead struct {
	name       string // in lower case
	closes     bool
	attributes bool
	whole      bool // whether it is all that the line holds
}

// htmlTag reads the tag that s begins with; rest is what stands behind its name.
func htmlTag(s []byte) (t tagRead, rest []byte, ok bool) {
	rest = s[1:]
	if len(rest) > 0 && rest[0] == '/' {
		spaced := rest[1:]
		rest = bytes.TrimLeft(spaced, " ")
		t.closes = len(rest) == len(spaced)
	}
	n := 0
	for n < len(rest) && (isLetter(rest[n]) || n > 0 && (util.IsNumeric(rest[n]) || rest[n] == '-')) {
		n++
	}
	if n == 0 {
		return t, nil, false
	}
	if n <= maxTagName {
		t.name = strings.ToLower(string(rest[:n]))
	}
	rest = rest[n:]
	end := attributes(rest)
	t.attributes = end > 0
	behind := bytes.TrimLeft(rest[end:], " ")
	behind = bytes.TrimPrefix(behind, []byte("/"))
	if bytes.HasPrefix(behind, []byte(">")) {
		behind = bytes.TrimLeft(behind[1:], " ")
		t.whole = len(behind) == 0 || string(behind) == "\n" || string(behind) == "\r\n"
	}
	return t, rest, true
}

// attributes is the length of the attributes that s begins with, each behind white space.
func attributes(s []byte) int {
	for end := 0; ; {
		i := spaceEnd(s, end)
		if i == end || i == len(s) || !isLetter(s[i]) && s[i] != '_' && s[i] != ':' {
			return end
		}
		for i < len(s) && (isLetter(s[i]) || util.IsNumeric(s[i]) || strings.IndexByte("_:.-", s[i]) >= 0) {
			i++
		}
		end = i
		if i = spaceEnd(s, i); i == len(s) || s[i] != '=' {
			continue
		}
		i = spaceEnd(s, i+1)
		size := attributeValue(s[i:])
		if size == 0 {
			return end
		}
		end = i + size
	}
}

// spaceEnd is where the white space ends that begins at i.
func spaceEnd(s []byte, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// attributeValue is the length of the value that s begins with; 0 if there is none.
func attributeValue(s []byte) int {
	if len(s) > 0 && (s[0] == '"' || s[0] == '\'') {
		if end := bytes.IndexByte(s[1:], s[0]); end >= 0 {
			return end + 2
		}
		return 0
	}
	n := 0
	for n < len(s) && s[n] > ' ' && strings.IndexByte("\"'=<>`", s[n]) < 0 {
		n++
	}
	return n
}

func (r *blockReader) htmlGoesOn(b *openBlock) bool {
	line := r.peek()
	if b.html >= 6 {
		if util.IsBlank(line) {
			return false
		}
	} else {
		if first := r.segments[b.first]; b.count == 1 && closesHTML(b.html, first.Value(r.src)) {
			return false
		}
		if closesHTML(b.html, line) {
			r.toLineEnd()
			return false
		}
	}
	r.append(b, r.rest())
	r.toLineEnd()
	return true
}

// closesHTML reports whether a line closes an HTML block of CommonMark's kinds 1 to 5.
func closesHTML(html int, line []byte) bool {
	if html == 1 {
		return bytes.Contains(line, []byte("</")) && closingTag().Match(line)
	}
	return bytes.Contains(line, []byte([...]string{2: "-->", 3: "?>", 4: ">", 5: "]]>"}[html]))
}

var closingTag = lazy.Regexp(`(?i)</(?:script|pre|style|textarea)>`)

// isBlockTag reports whether a tag always begins an HTML block.
func isBlockTag(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details", "dialog",
		"dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
		"head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu", "menuitem", "meta", "nav", "noframes", "ol", "optgroup",
		"option", "p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}
