package chat

import (
	"go/scanner"
	"go/token"
	"strings"
)

// unfinished reports whether a cell must continue on the next line because a bracket is open or an operand is
// missing at its end. Other errors are reported when the cell runs.
func unfinished(source string) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	cut := false // the source ends within a raw string or a comment
	s.Init(file, []byte(source), func(_ token.Position, message string) {
		cut = cut || strings.Contains(message, "raw string literal not terminated") ||
			strings.Contains(message, "comment not terminated")
	}, 0)
	open, last := 0, token.SEMICOLON
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if open--; open < 0 {
				return false
			}
		case token.EOF:
			return cut || open > 0 || wantsMore(last)
		}
		if tok != token.SEMICOLON || text != "\n" { // not inserted by the scanner
			last = tok
		}
	}
}

// wantsMore reports whether a cell cannot end with this token.
func wantsMore(last token.Token) bool {
	switch last {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.COLON, token.ELLIPSIS,
		token.TILDE:
		return false
	case token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN:
		return false
	default:
		return last.IsOperator() || last.IsKeyword()
	}
}
