package reply

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// goToken is a token of Go source with its offset.
type goToken struct {
	tok token.Token
	lit string
	off int
}

// end returns the offset after a token that has a literal.
func (t goToken) end() int { return t.off + len(t.lit) }

// scanGo calls fn for every token of src until fn returns false. It returns the scanner's first error, and stops
// there unless lenient.
func scanGo(src string, lenient bool, fn func(goToken) bool) error {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var first error
	var s scanner.Scanner
	s.Init(file, []byte(src), func(pos token.Position, msg string) {
		if first == nil {
			first = &scanner.Error{Pos: pos, Msg: msg}
		}
	}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || first != nil && !lenient || !fn(goToken{tok, lit, file.Offset(pos)}) {
			return first
		}
	}
}

// endsInRawString reports whether a cell ends inside a raw string.
func endsInRawString(src string) bool {
	if strings.Count(src, "`")%2 == 0 {
		return false
	}
	err := scanGo(src, false, func(goToken) bool { return true })
	return err != nil && strings.Contains(err.Error(), "raw string literal not terminated")
}

// mayBeCell caches mayBeCell(b.body), which is needed several times.
func (b *codeBlock) mayBeCell() bool {
	if b.isGo == 0 {
		b.isGo = -1
		if mayBeCell(b.body) {
			b.isGo = 1
		}
	}
	return b.isGo == 1
}

// mayBeCell decides whether an untagged block is offered to the notebook: it must scan as Go and contain a call, an
// assignment, a declaration or an import. `42`, `total`, `- item` and `ls -la` parse as Go too, but are not cells.
// It only looks at tokens, because the host does not parse code of a model; the worker parses the block and decides
// (cell.IsCell).
func mayBeCell(src string) bool {
	if !mayHoldEvidence(src) {
		return false
	}
	var prev, before goToken
	depth := 0
	evidence, prose := false, false
	err := scanGo(src, false, func(t goToken) bool {
		switch t.tok {
		case token.LPAREN:
			if prev.tok == token.IDENT && prev.end() == t.off {
				evidence = true
			}
			depth++
		case token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.DEFINE, token.INC, token.DEC, token.ARROW:
			evidence = true
		case token.IDENT:
			if prev.tok == token.FUNC || prev.tok == token.VAR || prev.tok == token.TYPE || prev.tok == token.CONST {
				evidence = true
			}
			// Two words at the start of a statement are prose, not Go.
			prose = prose || depth == 0 && prev.tok == token.IDENT && startsStatement(before.tok)
		case token.STRING:
			evidence = evidence || prev.tok == token.IMPORT
		default:
			evidence = evidence || t.tok >= token.ADD_ASSIGN && t.tok <= token.AND_NOT_ASSIGN || t.tok == token.ASSIGN
		}
		before, prev = prev, t
		return !prose
	})
	return err == nil && evidence && !prose
}

// mayHoldEvidence reports whether a text can satisfy mayBeCell at all: most blocks are ruled out without scanning
// tokens.
func mayHoldEvidence(src string) bool {
	if holdsAny(src, "(=+-<") {
		return true
	}
	for _, word := range [...]string{"func", "var", "type", "const", "import"} {
		if strings.Contains(src, word) {
			return true
		}
	}
	return false
}

// hasUnfencedCode reports whether the prose contains lines of code: a text block that, apart from lines with
// signals, reads as Go or Python and declares or calls something.
func hasUnfencedCode(l *layout, signals []codeSpan) bool {
	for _, lf := range l.leaves {
		if lf.hidden || lf.end-lf.start > maxUnfenced {
			continue
		}
		var code strings.Builder
		for _, seg := range lf.lines {
			line := l.str[seg.Start:seg.Stop]
			switch {
			case slices.ContainsFunc(signals, func(s codeSpan) bool { return s.start < seg.Stop && s.end > seg.Start }):
			case !lf.listed && isCodeLine(line):
				return true
			case !isOtherFence(line):
				code.WriteString(line)
			}
		}
		if src := code.String(); looksLikePython(src) || runs(src) && mayBeCell(src) {
			return true
		}
	}
	return false
}

// looksLikeScript reports whether the text of an untagged block is code of a language other than Go.
func looksLikeScript(src string) bool { return looksLikePython(src) || script().MatchString(src) }

// script matches an SQL query or a shell command, at the start of the text or of a line.
var script = startup.Regexp(
	`^\s*(?:(?s:SELECT\b.*\bFROM\b)|(?is:select\b[^;]*\bfrom\b[^;]*;\s*$)|(?i:insert into|create table|delete from|update \w+ set)\s)`,
	`|(?m:^\s*\$ \w|^(?:grep|awk|sed|wc|jq|curl|python3?|cat|find|ls|head|tail|sort) (?:.* )?(?:-{1,2}[A-Za-z]|\| ))`)

// maxUnfenced is the length of the longest text block that is searched for code.
const maxUnfenced = 1 << 14

// startsStatement reports whether a statement begins after this token; ILLEGAL is the start of the text.
func startsStatement(t token.Token) bool {
	return t == token.ILLEGAL || t == token.SEMICOLON || t == token.COLON
}
