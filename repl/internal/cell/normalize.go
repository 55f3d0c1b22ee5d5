package cell

import (
	"go/scanner"
	"go/token"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// normalize converts the text to the form that the scanner expects: no byte order mark, \n line ends, and composed
// letters in names.
func normalize(src string) string {
	src = strings.TrimPrefix(src, "\uFEFF")
	if strings.Contains(src, "\n") { // lines end in \n, so a \r alone is none, and Go skips it
		src = strings.ReplaceAll(src, "\r\n", "\n")
	} else {
		src = strings.ReplaceAll(src, "\r", "\n")
	}
	return composed(src)
}

// composed combines letters with their accents, because Go accepts no combining accent in a name. Strings, runes
// and comments stay as written: a cell may search a document for exactly those characters.
func composed(src string) string {
	if norm.NFC.IsNormalString(src) {
		return src
	}
	var out strings.Builder
	file := token.NewFileSet().AddFile("", -1, len(src))
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	done := 0
	for {
		pos, tok, lit := sc.Scan()
		at := file.Offset(pos)
		switch tok {
		case token.EOF:
			out.WriteString(norm.NFC.String(src[done:]))
			return out.String()
		case token.STRING, token.CHAR, token.COMMENT:
			out.WriteString(norm.NFC.String(src[done:at]))
			done = at + len(lit)
			out.WriteString(src[at:done])
		}
	}
}
