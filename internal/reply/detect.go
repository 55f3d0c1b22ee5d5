package reply

import (
	"bytes"
	"cmp"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Position is how a signal is placed in the prose of a reply. It decides whether the call counts (Signal.Counts)
// or is only mentioned.
type Position string

// The positions, from the most to the least certain.
const (
	// Alone: nothing else is on the call's line, apart from Markdown emphasis and closing punctuation.
	Alone Position = "alone"
	// EndsLine: the call is the last thing on its line, after words that introduce it ("The answer: …").
	EndsLine Position = "ends_line"
	// InSentence: more words follow the call on its line.
	InSentence Position = "in_sentence"
	// Mentioned: the text is about the call ("use …", "I will call …", a plan's list, a quotation, a placeholder).
	Mentioned Position = "mentioned"
)

// Signal is a completion signal found in text or code.
type Signal struct {
	// Var is set for a signal that takes the name of a variable (FINAL_VAR).
	Var bool `json:"var,omitempty"`
	// Name is the signal's name as registered.
	Name string `json:"name,omitempty"`
	// Content is the answer (quotes removed, escapes resolved) or, with Var, the variable's name.
	Content string `json:"content,omitempty"`
	// Bare is set if the argument is a single identifier without quotes: FINAL(total) may mean the text "total" or
	// the variable.
	Bare bool `json:"bare,omitempty"`
	// Arguments are the arguments, if all of them are literals.
	Arguments []Argument `json:"arguments,omitempty"`
	// RawMatch is the whole call as written.
	RawMatch string `json:"raw_match,omitempty"`
	// Place is how the call is placed in the text.
	Place Position `json:"place,omitempty"`
	// Line is the 1-based line on which the call begins.
	Line int `json:"line,omitempty"`
	// Malformed describes what is wrong with the call; such a call never counts.
	Malformed string `json:"malformed,omitempty"`
	// Cut is set if the call is not closed because the reply was truncated at the token limit.
	Cut bool `json:"cut,omitempty"`
}

// Counts decides when a call in prose counts:
//
//	                          alone   ends its line   in a sentence   mentioned
//	beside cells (that ran)   yes     no              no              no
//	without cells             yes     yes             no              no
//
// A malformed or truncated call never counts, and no call counts beside a failed cell.
func (d Signal) Counts(besideCells bool) bool {
	if d.Malformed != "" || d.Cut {
		return false
	}
	return d.Place == Alone || d.Place == EndsLine && !besideCells
}

// notClosed is what is wrong with a call whose argument reaches the end of the reply.
const notClosed = "its parenthesis or its quotes are not closed"

// maxCalls is how many calls are read in the prose of one reply; of more calls, only the first and the last are
// read, half of maxCalls each. Each call is read separately, so this bound keeps detection linear.
const maxCalls = 64

// detect finds the signals in the text blocks of l, in order.
func detect(l *layout, names Names, cut bool, thinking int) []Signal {
	found := candidates(l, names)
	if len(found) > maxCalls {
		found = slices.Concat(found[:maxCalls/2], found[len(found)-maxCalls/2:])
	}
	d := detector{layout: l, names: names, cut: cut, lines: lineCounter{src: l.src}}
	var read []codeSpan
	done := 0
	for i, c := range found {
		if c.off < done {
			continue
		}
		next := len(l.src)
		if behind := found[i+1:]; len(behind) > 0 {
			next = behind[0].off
		}
		det, end, ok := d.read(c, next)
		if !ok {
			read = append(read, codeSpan{c.off, c.off + len(c.name)})
			continue
		}
		if det.Malformed == "" && c.off > thinking {
			det.Malformed = "it stands behind a tag for thinking that is never closed"
		}
		d.out = append(d.out, det)
		read = append(read, codeSpan{c.off, end})
		done = end
	}
	if len(d.out) != 0 && hasUnfencedCode(l, read) {
		for i := range d.out {
			d.out[i].Malformed = cmp.Or(
				d.out[i].Malformed, "the reply holds code outside of a fenced block, which did not run")
		}
	}
	return d.out
}

// candidate is a place where a signal's name occurs as a word.
type candidate struct {
	name string
	off  int
}

func candidates(l *layout, names Names) []candidate {
	var out []candidate
	for _, name := range names.All() {
		for rest := l.str; ; {
			_, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			end := len(l.str) - len(after)
			if at := end - len(name); isWord(l.src, at, end) && l.leafAt(at) != nil {
				out = append(out, candidate{name, at})
			}
			rest = after
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Compare(a.off, b.off) })
	return out
}

// isWord reports whether src[from:to] is a whole identifier that is not qualified (pkg.NAME).
func isWord(src []byte, from, to int) bool {
	before, _ := utf8.DecodeLastRune(bytes.TrimSuffix(src[:from], []byte(".")))
	after, _ := utf8.DecodeRune(src[to:])
	return !isIdent(before) && !isIdent(after)
}

func isIdent(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

type detector struct {
	*layout
	names Names
	cut   bool
	lines lineCounter
	out   []Signal

	spansOf *textBlock
	spans   []codeSpan
	promise promiseAbove
	scans   []*parenScan
	quotes  []quoteScan
}

// read reads the call at candidate c. next is the offset of the next candidate, end the offset after the call.
func (d *detector) read(c candidate, next int) (det Signal, end int, ok bool) {
	lf := d.leafAt(c.off)
	if lf == nil || lf.hidden || d.inSpan(lf, c.off) {
		return Signal{}, 0, false
	}
	det = Signal{Name: c.name, Var: c.name == d.names.FinalVar}
	nameEnd := c.off + len(c.name)
	call, isCall := d.readCall(nameEnd, d.bound(nameEnd, next))
	if !isCall {
		return d.readBare(det, c, nameEnd)
	}
	det.Line = d.lines.at(c.off)
	if !call.closed {
		end = lineEnd(d.src, c.off)
		det.RawMatch = strings.TrimSpace(d.str[c.off:end])
		det.Place = InSentence
		det.Cut = d.cut && d.nextFence(c.off) == len(d.src)
		det.Malformed = notClosed
		if d.nextFence(c.off) < len(d.src) {
			det.Malformed = "it is not closed before the next fenced block; put an answer that holds such a block into a variable, in a cell"
		}
		return det, nameEnd, true
	}
	det.RawMatch = d.str[c.off:call.end]
	det.Content, det.Bare, det.Arguments = call.content, call.bare, call.args
	det.Malformed = call.wrong
	if det.Malformed == "" {
		det.Malformed = d.checkArgument(&det)
	}
	det.Place = d.place(lf, c.off, call.end, det)
	if det.Malformed == "" {
		det.Malformed = d.doubt(det.Place, c.off, call.end, next)
	}
	return det, call.end, true
}

// doubt explains why a call from off to end does not count, given the text around it, or returns "".
func (d *detector) doubt(place Position, off, end, next int) string {
	if place == Alone && d.isPromised(off) {
		return "the line above says that it comes later"
	}
	if d.isTakenBack(end, next) {
		return "what follows takes it back"
	}
	return ""
}

// checkArgument describes what is wrong with the argument of a well-formed call.
func (d *detector) checkArgument(det *Signal) string {
	if det.Var {
		if !isIdentifier(det.Content) {
			return "it takes the name of a variable"
		}
		return ""
	}
	isNil := len(det.Arguments) == 1 && det.Arguments[0].Source == "nil"
	if det.Name == d.names.Final && (isNil || strings.TrimSpace(det.Content) == "") {
		return "it holds no answer"
	}
	return ""
}

// bound returns how far a call that begins at i may extend: at most to the next fenced block, and not past a later
// call at the start of a line, which an unclosed call would otherwise swallow.
func (d *detector) bound(i, next int) int {
	bound := d.nextFence(i)
	if strings.HasSuffix(strings.TrimRight(d.str[i:next], " \t*_>"), "\n") {
		return min(next, bound)
	}
	return bound
}

// readBare reads a signal whose name is alone on its line, without parentheses. Only names that are not ordinary
// words (finish_task, FINAL_VAR) count as an attempt to call.
func (d *detector) readBare(det Signal, c candidate, end int) (Signal, int, bool) {
	if !strings.Contains(c.name, "_") {
		return Signal{}, 0, false
	}
	line := d.str[lineStart(d.src, c.off):lineEnd(d.src, c.off)]
	if strings.Trim(line, " \t\r\n*.:") != c.name {
		return Signal{}, 0, false
	}
	det.Line = d.lines.at(c.off)
	det.RawMatch, det.Place = c.name, Alone
	det.Malformed = "it is written without parentheses"
	return det, end, true
}

func isIdentifier(s string) bool { return token.IsIdentifier(s) }
