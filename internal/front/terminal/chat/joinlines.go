package chat

import (
	"go/scanner"
	"go/token"
	"slices"
)

// joined replaces line ends within parentheses, brackets and composite literals with blanks. The prompt lets a
// person continue on the next line there, but Go would require a comma before the line end.
func joined(source string) string {
	var (
		s     scanner.Scanner
		ends  = []bool{true} // for each open bracket: whether a line end within it ends a statement
		last  = token.SEMICOLON
		block bool // the next { opens a block, not a composite literal
		said  bool // a comment precedes the line end, which therefore stays
		out   = []byte(source)
	)
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	for {
		at, tok, text := s.Scan()
		within := ends[len(ends)-1]
		switch tok {
		case token.EOF:
			return string(out)
		case token.COMMENT:
			said = true
			continue
		case token.SEMICOLON:
			if i := file.Offset(at); !within && !said && text == "\n" && i < len(source) && source[i] == '\n' {
				out[i] = ' '
			}
		case token.LPAREN:
			ends = append(ends, slices.Contains([]token.Token{token.IMPORT, token.CONST, token.VAR, token.TYPE}, last))
		case token.LBRACK:
			ends = append(ends, false)
		case token.LBRACE:
			ends = append(ends, block || within &&
				slices.Contains([]token.Token{token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON}, last))
		case token.RPAREN, token.RBRACK, token.RBRACE:
			ends = ends[:max(1, len(ends)-1)]
		case token.IF, token.ELSE, token.FOR, token.SWITCH, token.SELECT, token.FUNC, token.STRUCT, token.INTERFACE:
			block = true
		}
		if tok == token.SEMICOLON || tok == token.LBRACE || tok == token.RBRACE {
			block = false
		}
		last, said = tok, false
	}
}
