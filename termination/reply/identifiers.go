package reply

import (
	"go/token"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// maxIdentifiers bounds the identifiers that are kept of one reply.
const maxIdentifiers = 256

// Identifiers adds to names those of the Go (or similar) source that could be mistaken for a word: Report, TOTAL, unknown.
func Identifiers(names []string, src string) []string {
	_ = scanGo(src, func(t goToken) bool {
		if t.tok == token.IDENT && t.lit != "true" && t.lit != "false" && IsWord(t.lit) && !slices.Contains(names, t.lit) {
			names = append(names, t.lit)
		}
		return len(names) < maxIdentifiers
	})
	return names
}

// identifiers are those of all code of a reply, whether it runs or not.
func identifiers(l *layout) []string {
	var names []string
	for _, b := range l.blocks {
		if lang := language(b.info); lang == "" && (mayBeCell(b.body) || looksLikePython(b.body)) || lang != "" && isProgramming(lang) {
			names = Identifiers(names, b.body)
		}
	}
	for _, lf := range l.leaves {
		for _, seg := range lf.lines {
			if m := declares().FindString(l.str[seg.Start:seg.Stop]); m != "" {
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
