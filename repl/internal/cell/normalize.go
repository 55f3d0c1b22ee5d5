package cell

import (
	"go/scanner"
	"go/token"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// normalize gives the text the shape the scanner expects: no byte order mark, \n line ends, and names in the form in
// which Go has them.
func normalize(src string) string {
	src = strings.TrimPrefix(src, "\uFEFF")
	if strings.Contains(src, "\n") { // a return alone ends no line then, and Go leaves it out
		src = strings.ReplaceAll(src, "\r\n", "\n")
	} else {
		src = strings.ReplaceAll(src, "\r", "\n")
	}
	return composed(src)
}

// composed joins letters and their accents, which Go takes in no name. Texts, runes and comments stay as they were written:
// somebody may want to find what stands so in a document.
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
