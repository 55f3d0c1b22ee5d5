package screen

import (
	"go/scanner"
	"go/token"
	"strings"

	"charm.land/lipgloss/v2"
)

// Colours for Go source, from the terminal's own palette.
var (
	goKeyword = lipgloss.NewStyle().Foreground(lipgloss.Magenta)
	goString  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	goNumber  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	goComment = lipgloss.NewStyle().Faint(true)
)

// highlight paints Go source by its tokens. Of invalid source it paints the valid tokens.
func highlight(source string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	var out strings.Builder
	done := 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		style, painted := goStyle(tok)
		start := file.Offset(pos)
		if !painted || start < done || start+len(text) > len(source) {
			continue
		}
		out.WriteString(source[done:start])
		done = start + len(text)
		for i, line := range strings.Split(source[start:done], "\n") {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(style.Render(line))
		}
	}
	return out.String() + source[done:]
}

func goStyle(tok token.Token) (lipgloss.Style, bool) {
	switch {
	case tok.IsKeyword():
		return goKeyword, true
	case tok == token.STRING || tok == token.CHAR:
		return goString, true
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return goNumber, true
	case tok == token.COMMENT:
		return goComment, true
	}
	return lipgloss.Style{}, false
}
