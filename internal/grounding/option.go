package grounding

import (
	"slices"
	"strings"
)

// option reports whether the word at p is an option of a command, to which a value may be attached, as in "-Xmx4096m".
func option(s string, p int) bool {
	return p > 0 && s[p-1] == '-' && (p == 1 || strings.IndexByte(" \"'`[,=\n\t", s[p-2]) >= 0)
}

// sized adds the reading as a size in bytes to a number with a letter behind it, as in "max_body 20m".
func (q *quantity) sized(s string) {
	c := byteAt(s, q.tail)
	if q.isDate || q.tail == 0 || c == 0 || strings.IndexByte("kKmMgG", c) < 0 || isWord(firstRune(s[q.tail+1:])) {
		return
	}
	if q.units == nil {
		q.units = bare
	} else if strings.HasPrefix(q.units[0].kind, "money") {
		return
	}
	m := strings.ToUpper(string(c))
	q.units, q.either = slices.Concat(q.units, units(m+"iB"), units(m+"B")), true
	q.inside = false
}
