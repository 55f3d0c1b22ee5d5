package text

import (
	"errors"
	"runtime"
	"strings"
)

// Words splits a line at blanks, with quotes and backslashes as in a shell; nothing is expanded.
func Words(line string) ([]string, error) {
	var (
		words   []string
		word    strings.Builder
		in      bool
		quote   rune
		escaped bool
	)
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'' && runtime.GOOS != "windows":
			escaped, in = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(c)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quotation has no end")
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
