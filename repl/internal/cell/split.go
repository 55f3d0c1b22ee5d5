package cell

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// Limits on the source. A cell beyond them is rejected, so that no source makes the parser or the type checker
// recurse without bound.
const (
	MaxSource   = 256 << 10
	maxBrackets = 400
	maxOperands = 4000
)

// chunkKind is the kind of a top-level chunk of a cell.
type chunkKind int

const (
	statements chunkKind = iota // includes var declarations, whose order matters
	packageClause
	importDecl
	declaration // const, type, func
)

// chunk is a part of a cell at bracket depth 0: one declaration, or consecutive statements.
type chunk struct {
	kind       chunkKind
	start, end int // byte offsets in the cell
}

// lexeme is a token with its offset.
type lexeme struct {
	tok token.Token
	off int
	lit string
}

// splitter cuts a cell into chunks by its tokens alone, so that imports, declarations and statements may come in
// any order.
type splitter struct {
	src      string
	chunks   []chunk
	chunk    []lexeme // the first lexemes of the current chunk, enough to determine its kind
	brackets []lexeme
	operands int
	last     int // end of the last token
}

// split cuts src into chunks. It also returns src with //line comments disabled, because they would change
// positions; all offsets stay the same. With marks, it accepts names that only the host may use.
func split(src string, marks bool) ([]chunk, string, *Error) {
	s := &splitter{src: src}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var failed *Error
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(p token.Position, msg string) {
		if failed == nil {
			failed = s.fail(p.Offset, "syntax error: %s", msg)
		}
	}, scanner.ScanComments)
	clean := []byte(src)
	for failed == nil {
		pos, tok, lit := sc.Scan()
		lex := lexeme{tok, file.Offset(pos), lit}
		if tok == token.EOF {
			break
		}
		if tok == token.COMMENT {
			if strings.HasPrefix(lit[2:], "line ") {
				clean[lex.off+2] = 'L'
			}
			continue
		}
		if tok == token.IDENT && !marks && strings.Contains(lit, Mark) {
			failed = s.fail(lex.off, "the letter %s cannot be part of a name here", Mark)
		}
		if err := s.next(lex); err != nil && failed == nil {
			failed = err
		}
	}
	if failed == nil && len(s.brackets) > 0 {
		open := s.brackets[len(s.brackets)-1]
		failed = s.fail(open.off, "syntax error: this %s is never closed", open.tok)
	}
	s.flush()
	return s.chunks, string(clean), failed
}

// fail returns an error at an offset of the cell.
func (s *splitter) fail(offset int, format string, args ...any) *Error {
	line, column := lineColumn(s.src, offset)
	return &Error{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (s *splitter) next(lex lexeme) *Error {
	if lex.tok == token.SEMICOLON && len(s.brackets) == 0 {
		s.operands = 0
		s.flush()
		return nil
	}
	switch lex.tok {
	case token.LBRACE, token.LPAREN, token.LBRACK:
		s.brackets = append(s.brackets, lex)
		if len(s.brackets) > maxBrackets {
			return s.fail(lex.off, "brackets are nested more than %d deep; build the value in steps", maxBrackets)
		}
	case token.RBRACE, token.RPAREN, token.RBRACK:
		if err := s.close(lex); err != nil {
			return err
		}
	}
	switch lex.tok {
	case token.SEMICOLON, token.COMMA, token.LBRACE, token.RBRACE:
		s.operands = 0
	default:
		if s.operands++; s.operands > maxOperands {
			return s.fail(lex.off, "one expression has more than %d parts; build the value in steps", maxOperands)
		}
	}
	if len(s.chunk) < 64 || lex.tok == token.LBRACE {
		s.chunk = append(s.chunk, lex)
	}
	s.last = lex.off + width(lex)
	return nil
}

func width(lex lexeme) int {
	if lex.lit != "" && lex.lit != "\n" {
		return len(lex.lit)
	}
	return len(lex.tok.String())
}

// close checks that a closing bracket matches the opening one.
func (s *splitter) close(lex lexeme) *Error {
	pairs := map[token.Token]token.Token{
		token.RBRACE: token.LBRACE, token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK,
	}
	if len(s.brackets) == 0 {
		return s.fail(lex.off, "syntax error: unexpected %s: there is no %s that it closes", lex.tok, pairs[lex.tok])
	}
	open := s.brackets[len(s.brackets)-1]
	if open.tok != pairs[lex.tok] {
		line, _ := lineColumn(s.src, open.off)
		return s.fail(lex.off, "syntax error: unexpected %s: the %s of line %d is still open", lex.tok, open.tok, line)
	}
	s.brackets = s.brackets[:len(s.brackets)-1]
	return nil
}

// flush ends the current chunk. Consecutive statements form one chunk.
func (s *splitter) flush() {
	if len(s.chunk) == 0 {
		return
	}
	kind, start := kindOf(s.chunk), s.chunk[0].off
	end := min(s.last, len(s.src))
	s.chunk = s.chunk[:0]
	if n := len(s.chunks); n > 0 && kind == statements && s.chunks[n-1].kind == statements {
		s.chunks[n-1].end = end
		return
	}
	s.chunks = append(s.chunks, chunk{kind, start, end})
}

func kindOf(lexemes []lexeme) chunkKind {
	switch lexemes[0].tok {
	case token.PACKAGE:
		return packageClause
	case token.IMPORT:
		return importDecl
	case token.TYPE, token.CONST:
		return declaration
	case token.FUNC:
		if declaresFunc(lexemes[1:]) {
			return declaration
		}
	}
	return statements
}

// declaresFunc reports whether the tokens after func show that it begins a function or method declaration, not a
// function literal.
func declaresFunc(after []lexeme) bool {
	if len(after) > 0 && after[0].tok == token.IDENT {
		return true
	}
	depth := 0
	for i, lex := range after {
		switch lex.tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		}
		if depth == 0 {
			return lex.tok == token.RPAREN && i+2 < len(after) && after[i+1].tok == token.IDENT &&
				(after[i+2].tok == token.LPAREN || after[i+2].tok == token.LBRACK)
		}
	}
	return false
}

// lineColumn returns the 1-based line and column (in bytes, as Go counts) of an offset.
func lineColumn(src string, offset int) (line, column int) {
	offset = max(0, min(offset, len(src)))
	before := src[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// validText returns the offset at which src stops being valid UTF-8, or -1 if all of it is valid.
func validText(src string) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRuneInString(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
