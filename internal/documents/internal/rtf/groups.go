package rtf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
)

// destination is where the text of a group goes.
type destination int

const (
	inText destination = iota
	inNothing
	inFonts
	inStyles
	inInfo
	inCode   // code of a field
	inMarker // marker of a list item
	inAuthor // author of a comment
	inClass  // class of an object
)

// groupEffect is an action at the end of a group.
type groupEffect int

const (
	opensNothing groupEffect = iota
	opensField
	opensResult
	opensNote
	opensEndnote
	opensComment
	opensHeader
	opensFooter
	opensBox
	opensInfo
	opensStyle
	opensMarker
)

// state is the state of a group, which nested groups inherit.
type state struct {
	place   destination
	outer   destination // destination of the text around an object or a choice
	opens   groupEffect
	starred bool
	skips   int // characters to skip after a Unicode character
	font    int
	hidden  bool
	raised  int
	info    string // the property being read
	style   int    // the style being defined
	field   *field
	start   int // offset of a field's result in its paragraph
}

type field struct {
	code string
	in   *flow
}

func (d *document) top() *state { return &d.stack[len(d.stack)-1] }

// end ends a group.
func (d *document) end() error {
	s := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	switch s.opens {
	case opensResult:
		if f := s.field; f != nil && f.in == d.flow && s.start <= len(d.flow.para) {
			if url := markdown.FieldAddress(f.code); url != "" {
				d.flow.para = append(d.flow.para[:s.start], markdown.Link(string(d.flow.para[s.start:]), url)...)
			}
		}
	case opensNote, opensEndnote, opensComment:
		prefix := map[groupEffect]string{opensNote: "", opensEndnote: "e", opensComment: "c"}[s.opens]
		text := d.pop()
		if s.opens == opensComment {
			head := "Comment"
			if d.author != "" {
				head += " by " + d.author
			}
			text, d.author = head+": "+text, ""
		}
		label := prefix + strconv.Itoa(d.count(prefix))
		d.notes = append(d.notes, note{label, text})
		d.flow.para = append(d.flow.para, "[^"+label+"]"...)
	case opensHeader, opensFooter:
		text := d.pop()
		if text == "" || d.shown[text] {
			break
		}
		d.shown[text] = true
		if s.opens == opensFooter {
			d.footers = append(d.footers, text)
			break
		}
		return d.flow.w.Paragraph("Header: " + text)
	case opensBox:
		if text := d.pop(); text != "" {
			d.flow.endParagraph(d)
			return d.flow.w.Paragraph(text)
		}
	case opensMarker:
		d.flow.marker = bullet(strings.TrimSpace(d.flow.marker))
	}
	return nil
}

func (d *document) count(prefix string) int {
	if d.counts == nil {
		d.counts = map[string]int{}
	}
	d.counts[prefix]++
	return d.counts[prefix]
}

// destination handles a control word that starts a destination; ok is false for other words.
func (d *document) destination(word string) (ok bool) {
	s := d.top()
	if s.place == inNothing && word != "ud" && word != "result" && word != "objclass" {
		return isSkipped(word)
	}
	if isSkipped(word) {
		s.outer, s.place = s.place, inNothing
		return true
	}
	switch word {
	case "fonttbl":
		s.place = inFonts
	case "stylesheet":
		s.place, s.style = inStyles, 0
	case "info":
		s.place, s.info = inInfo, ""
	case "title", "subject", "author", "keywords", "doccomm", "creatim", "revtim":
		if s.place != inInfo {
			return false
		}
		if s.info = word; d.info[word] != "" {
			s.info = "" // ignores the last editor, who is stored as an author too
		}
	case "operator", "company", "manager", "category", "printim", "buptim", "hlinkbase", "comment":
		if s.place == inInfo {
			s.place = inNothing
		}
	case "field":
		s.field = &field{in: d.flow}
	case "fldinst":
		s.place = inCode
	case "fldrslt":
		s.opens, s.start = opensResult, len(d.flow.para)
		if s.field != nil && markdown.IsPageNumber(s.field.code) && d.flow.outer != nil {
			s.place = inNothing
		}
	case "listtext", "pntext":
		d.flow.marker = ""
		s.place, s.opens = inMarker, opensMarker
	case "footnote":
		d.push()
		s.opens, s.raised = opensNote, 0
	case "annotation":
		d.push()
		s.opens = opensComment
	case "objclass":
		s.place = inClass
	case "atnauthor":
		s.place, d.author = inAuthor, ""
	case "header", "headerl", "headerr", "headerf":
		d.push()
		s.opens = opensHeader
	case "footer", "footerl", "footerr", "footerf":
		d.push()
		s.opens = opensFooter
	case "shptxt", "dptxbxtext":
		s.place = inText
		d.push()
		s.opens = opensBox
	case "ud", "result":
		s.place = s.outer
	case "shpinst", "nesttableprops", "do", "moMath", "moMathPara", "mr":
	default:
		return false
	}
	return true
}

// isSkipped reports whether a group is skipped. \upr repeats the same text, and \object includes a picture of
// itself.
func isSkipped(word string) bool {
	switch word {
	case "pict", "object", "upr", "colortbl", "listtable", "listoverridetable", "filetbl", "revtbl", "rsidtbl", "sp",
		"xe", "tc", "tcn", "rxe",
		"nonesttables", "nonshppict", "bkmkstart", "bkmkend", "atnid", "atndate", "atnref", "atntime", "atnicn",
		"atnparent", "fontemb", "falt",
		"objdata", "objname", "template", "pntxtb", "pntxta", "pn", "private", "ftnsep", "ftnsepc", "ftncn", "aftnsep",
		"aftnsepc", "aftncn",
		"shpgrp", "background":
		return word != "shpgrp"
	}
	return strings.HasPrefix(word, "m") && strings.HasSuffix(word, "Pr")
}

// date adds a piece of a date to a property: \yr2025\mo3\dy1.
func (d *document) date(word string, n int) {
	s := d.top()
	if s.place != inInfo || s.info == "" {
		return
	}
	switch word {
	case "yr":
		d.info[s.info] += fmt.Sprintf("%04d", n)
	case "mo", "dy":
		d.info[s.info] += fmt.Sprintf("-%02d", n)
	case "hr":
		d.info[s.info] += fmt.Sprintf(" %02d", n)
	case "min":
		d.info[s.info] += fmt.Sprintf(":%02d", n)
	}
}
