package grounding

import (
	"slices"
	"strings"
)

// option reports whether the word at p is an option of a command, to which a value may be attached, as in "-Xmx4096m".
func option(s string, p int) bool {
	return p > 0 && s[p-1] == '-' && (p == 1 || strings.IndexByte(" \"'`[,=\n\t", s[p-2]) >= 0)
}

// sized reads the letter behind the number of an option as a size in bytes.
func (q *quantity) sized(s string) {
	c := byteAt(s, q.tail)
	if q.isDate || c == 0 || strings.IndexByte("kKmMgGtT", c) < 0 || isWord(firstRune(s[q.tail+1:])) {
		return
	}
	m := strings.ToUpper(s[q.tail : q.tail+1])
	q.units = append(slices.Clone(units(m+"iB")), units(m+"B")...)
	q.end, q.scale, q.either = q.tail+1, 1, false
}
