package reply

import (
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/lazy"
)

// maxIdentifiers bounds the identifiers that are kept of one reply.
const maxIdentifiers = 256

// Identifiers adds to names those of the Go (or similar) source that could be mistaken for a word: Report, TOTAL, unknown.
func Identifiers(names []string, src string) []string {
	seen := map[string]bool{"true": true, "false": true}
	_ = scanGo(src, true, func(t goToken) bool {
		if t.tok != token.IDENT || seen[t.lit] {
			return true
		}
		seen[t.lit] = true
		if IsWord(t.lit) && !slices.Contains(names, t.lit) {
			names = append(names, t.lit)
		}
		return len(names) < maxIdentifiers
	})
	return names
}

// identifiers are those of all code of a reply, whether it runs or not.
func identifiers(l *layout) []string {
	var names []string
	for i := range l.blocks {
		b := &l.blocks[i]
		if len(names) >= maxIdentifiers {
			return names
		}
		if lang := language(b.info); lang == "" && (b.mayBeCell() || looksLikePython(b.body)) || lang != "" && isProgramming(lang) {
			names = Identifiers(names, b.body)
		}
	}
	for _, lf := range l.leaves {
		for _, seg := range lf.lines {
			if m := declaration(l.str[seg.Start:seg.Stop]); m != "" {
				names = Identifiers(names, strings.Trim(m, "`"))
			}
		}
		if len(names) >= maxIdentifiers {
			break
		}
	}
	return names
}

// declares is a line of code outside of a block that sets or declares something.
var declares = lazy.Regexp(`^\s*(?:(?:var|func|type|const|def|let)\s+[\pL_]\w*|[\pL_]\w*(?:\s*,\s*[\pL_]\w*)*\s*(?::=|\+?=[^=]))`)

// declaration is the beginning of a line that sets or declares something, to the end of what it sets; empty if it does not.
func declaration(line string) string {
	rest := trimLeft(line)
	if rest == "" || !isWordByte(rest[0]) && rest[0] < utf8.RuneSelf {
		return ""
	}
	if strings.IndexByte(rest, '=') < 0 {
		switch rest[:asciiWord(rest)] {
		case "var", "func", "type", "const", "def", "let":
		default:
			return ""
		}
	}
	return declares().FindString(line)
}
