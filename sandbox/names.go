package sandbox

import (
	"go/scanner"
	"go/token"
)

// names are the variables that a cell set, and the functions and types that it declared.
func (c CellRecord) names() []string {
	names := declared(c.Source)
	for _, v := range c.Changed {
		names = append(names, v.Name)
	}
	return names
}

// declared names the functions and types that a source declares at its top level.
func declared(source string) (names []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), []byte(source), func(token.Position, string) {}, 0)
	depth, group, before := 0, false, token.SEMICOLON
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return names
		case token.LPAREN, token.LBRACE, token.LBRACK:
			group = group || depth == 0 && before == token.TYPE
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
			group = group && depth > 0
		case token.IDENT:
			alone := depth == 0 && (before == token.FUNC || before == token.TYPE)
			grouped := group && depth == 1 && (before == token.LPAREN || before == token.SEMICOLON)
			if (alone || grouped) && text != "_" {
				names = append(names, text)
			}
		}
		before = tok
	}
}
