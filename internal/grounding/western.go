package grounding

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWestern bounds the text that is read a second time for digits of other scripts.
const maxWestern = 256 << 10

// western returns a text with the numbers of other scripts in the digits 0 to 9.
func western(s string) string {
	s = s[:min(len(s), maxWestern)]
	var b strings.Builder
	for i := 0; i < len(s); {
		if v, n := hanNumber(s[i:]); n > 0 {
			b.WriteString(strconv.Itoa(v))
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if w := westernRune(r); w != r {
			b.WriteRune(w)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// westernRune returns ours for a digit or a separator of another script, and other runes unchanged.
func westernRune(r rune) rune {
	switch d := digitOf(r); {
	case d >= 0:
		return rune('0' + d)
	case r == '٬':
		return ','
	case r == '٫':
		return '.'
	case r == '‐' || r == '‑': // hyphens that some models write, in identifiers too
		return '-'
	}
	return r
}

// westernise replaces the digits and separators of other scripts in the answer, so that they are read like ours, and
// blanks the commands of TeX around values, as in "\boxed{42}" and "\$5".
func (x *extractor) westernise() {
	valid := strings.ToValidUTF8(x.answer, "")
	if s := strings.Map(westernRune, valid); s != x.answer {
		x.original, x.answer = valid, s
	}
	if !strings.ContainsRune(x.answer, '\\') || json.Valid([]byte(x.answer)) {
		return
	}
	s := texMarks.Replace(x.answer)
	for i := strings.Index(s, texBox); i >= 0; i = strings.Index(s, texBox) {
		end, depth := i+len(texBox), 1
		for ; end < len(s); end++ {
			if depth += int(brace(s[end])); depth == 0 {
				break
			}
		}
		if end == len(s) {
			break
		}
		s = s[:i] + strings.Repeat(" ", len(texBox)) + s[i+len(texBox):end] + " " + s[end+1:]
	}
	if s != x.answer {
		if x.original == "" {
			x.original = x.answer
		}
		x.answer = s
	}
}

// texBox starts the box that some models put around their result; texMarks blanks the backslash of escaped signs.
const texBox = `\boxed{`

var texMarks = strings.NewReplacer(`\$`, " $", `\%`, " %", `\#`, " #")

// brace is 1 for an opening brace, -1 for a closing one.
func brace(c byte) int8 {
	switch c {
	case '{':
		return 1
	case '}':
		return -1
	}
	return 0
}

// written returns the part of the answer between two offsets as it was written.
func (x *extractor) written(at, end int) string {
	if x.original == "" {
		return x.answer[at:end]
	}
	from, to, n := 0, len(x.original), 0
	for i, r := range x.original {
		if n == at {
			from = i
		}
		if n == end {
			to = i
		}
		n += utf8.RuneLen(westernRune(r))
	}
	return x.original[from:to]
}

// digitOf returns the value of a decimal digit of another script than ours, -1 if r is none.
func digitOf(r rune) int {
	if r < utf8.RuneSelf || !unicode.IsDigit(r) {
		return -1
	}
	zero := r
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return int(r-zero) % 10
}

// hanNumber reads a number such as 四十二 at the start of s, and returns its value and its length.
func hanNumber(s string) (v, n int) {
	digit, runes, powers := 0, 0, 0
	for i, r := range s {
		if d := strings.IndexRune("〇一二三四五六七八九零", r); d >= 0 {
			digit = d / len("〇") % 10 // there are two zeros
		} else if k := strings.IndexRune("十百千", r); k >= 0 && powers < 4 {
			v, digit, powers = v+[...]int{10, 100, 1000}[k/len("十")]*max(digit, 1), 0, powers+1
		} else {
			break
		}
		n, runes = i+utf8.RuneLen(r), runes+1
	}
	if powers == 0 || runes < 2 {
		return 0, 0
	}
	return v + digit, n
}
