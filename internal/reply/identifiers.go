package reply

import (
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// maxIdentifiers bounds the identifiers kept from one reply.
const maxIdentifiers = 256

// Identifiers appends to names the identifiers in Go (or similar) source that could be mistaken for a word:
// Report, TOTAL, unknown.
func Identifiers(names []string, src string) []string {
	_ = scanGo(src, true, func(t goToken) bool {
		if len(names) == maxIdentifiers {
			return false
		}
		if t.tok == token.IDENT && t.lit != "true" && t.lit != "false" && IsWord(t.lit) &&
			!slices.Contains(names, t.lit) {
			names = append(names, t.lit)
		}
		return true
	})
	return names
}

// UsesMore reports whether Go source uses a name that it neither defines by := or func nor has from the language, or
// from a package that has nothing of a text by itself.
func UsesMore(src string) bool {
	known := []string{
		"fmt", "strings", "strconv", "time", "math", "rand", "sort", "slices", "maps", "len", "append", "make",
		"string", "int", "float64", "bool", "true", "false", "nil", "print", "println", "_",
	}
	var names []string // that := may define
	free, last := false, token.ILLEGAL
	settle := func() {
		free = free || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(known, n) })
		names = nil
	}
	_ = scanGo(src, true, func(t goToken) bool {
		switch {
		case t.tok == token.IDENT && last == token.PERIOD, t.tok == token.COMMA:
		case t.tok == token.IDENT && last == token.FUNC:
			known = append(known, t.lit)
		case t.tok == token.IDENT:
			names = append(names, t.lit)
		case t.tok == token.DEFINE:
			known, names = append(known, names...), nil
		default:
			settle()
		}
		last = t.tok
		return !free
	})
	settle()
	return free
}

// identifiers returns the Identifiers of all code of a reply, whether it runs or not.
func identifiers(l *layout) []string {
	var names []string
	for i := range l.blocks {
		b := &l.blocks[i]
		if lang := language(b.info); lang == "" && (b.mayBeCell() || looksLikePython(b.body)) ||
			lang != "" && isProgramming(lang) {
			names = Identifiers(names, b.body)
		}
	}
	for _, lf := range l.leaves {
		for _, seg := range lf.lines {
			if m := declaration(l.str[seg.Start:seg.Stop]); m != "" {
				names = Identifiers(names, m)
			}
		}
	}
	return names
}

// declares matches a line of code outside of a block that assigns to or declares something.
var declares = startup.Regexp(
	`^\s*(?:(?:var|func|type|const|def|let)\s+[\pL_][\pL\w]*|[\pL_][\pL\w]*(?:\s*,\s*[\pL_][\pL\w]*)*\s*(?::=|\+?=[^=]))`)

// declaration returns the beginning of a line that assigns to or declares names, up to the last of them; empty if
// it does neither.
func declaration(line string) string {
	rest := trimLeft(line)
	if r := runeAt(rest); r != '_' && !unicode.IsLetter(r) {
		return ""
	}
	if !strings.Contains(rest, "=") {
		switch rest[:asciiWord(rest)] {
		case "var", "func", "type", "const", "def", "let":
		default:
			return ""
		}
	}
	return declares().FindString(line)
}
