package grounding

import (
	"bytes"
	"strings"
)

// breaking and inline are elements of HTML: what such an element has is a line or a part of one.
var (
	breaking = words(`p br hr li ul ol tr div table thead tbody h1 h2 h3 h4 h5 h6 section article blockquote pre dt dd dl html body`)
	inline   = words(`b i u a em strong span code small sub sup mark td th q s`)
)

// maxTag bounds the length of a tag of HTML or XML.
const maxTag = 512

// withoutTags replaces the tags of HTML and XML by blanks, or the ends of lines and cells, of the same length. A tag
// counts if it is closed as well, as <name> may be a placeholder and List<b> a type. Attributes of XML stay.
func withoutTags(s string) string {
	if !strings.Contains(s, "</") && !strings.Contains(s, "<br") && !strings.Contains(s, "<hr") {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(s); i++ {
		if s[i] != '<' {
			continue
		}
		name, end := tagAt(s, i)
		if end == 0 || name != "br" && name != "hr" && !strings.Contains(s, "</"+name+">") {
			continue
		}
		folded := strings.ToLower(name)
		closing := s[i+1] == '/'
		if html := breaking.has(folded) || inline.has(folded); html || closing {
			whiten(b[i:end])
		} else {
			whiten(b[i : i+1+len(name)])
			blankAttributes(b[i+1+len(name) : end])
		}
		switch {
		case breaking.has(folded), closing && !inline.has(folded):
			b[i] = '\n'
		case closing && (folded == "td" || folded == "th"):
			b[i] = '\t'
		}
		i = end - 1
	}
	return string(b)
}

// tagAt returns the name of the tag at p and its end; the end is 0 if there is no tag.
func tagAt(s string, p int) (name string, end int) {
	n := strings.IndexByte(s[p:min(len(s), p+maxTag)], '>')
	if n < 2 {
		return "", 0
	}
	name = strings.TrimPrefix(s[p+1:p+n], "/")
	if k := strings.IndexAny(name, " \t\n/"); k >= 0 {
		name = name[:k]
	}
	if name == "" || classes[name[0]] != aLetter || strings.ContainsAny(s[p+1:p+n], "<(") {
		return "", 0
	}
	return name, p + n + 1
}

// blankAttributes leaves the values of attributes.
func blankAttributes(b []byte) {
	for {
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			break
		}
		whiten(b[:i+1])
		n := bytes.IndexByte(b[i+1:], '"')
		if n < 0 {
			return
		}
		b = b[i+1+n:]
		b[0] = ' '
		b = b[1:]
	}
	whiten(b)
}

// whiten replaces bytes by spaces.
func whiten(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
