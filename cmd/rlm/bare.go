package main

import (
	"go/scanner"
	"go/token"

	"github.com/gorlm/rlm/termination/reply"
)

// cellsIn finds the cells of a text: the Go blocks of Markdown, or the whole text if it is a bare cell.
func cellsIn(text string) reply.Reply {
	ex := reply.Parse(text, reply.Names{}, false)
	if len(ex.Cells)+len(ex.Skipped) == 0 || bareGo(text) {
		return reply.Reply{Cells: []reply.Cell{{Source: text, Line: 1}}}
	}
	return ex
}

// bareGo says whether all fences of a text stand inside Go's strings and comments. Such a text is code that holds Markdown, not
// Markdown that holds code: to Go, a fence of its own is an empty string beside another one, or a row of tildes.
func bareGo(text string) bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for previous := token.EOF; s.ErrorCount == 0; {
		_, tok, _ := s.Scan()
		switch {
		case tok == token.EOF:
			return s.ErrorCount == 0
		case tok == previous && (tok == token.STRING || tok == token.TILDE):
			return false
		}
		previous = tok
	}
	return false
}
