package reply

import "strings"

// FindWord finds the first of the given words that begins or ends a line of prose as a whole word, outside of code, HTML and
// quotations. rest is the prose without it.
func FindWord(prose string, words []string) (word, rest string, ok bool) {
	l := readMarkdown(prose)
	for _, lf := range l.leaves {
		if lf.html || lf.quoted {
			continue
		}
		for _, seg := range lf.lines {
			if word, line, ok := edgeWord(string(seg.Value(l.src)), words); ok {
				return word, strings.TrimSpace(l.str[:seg.Start] + line + l.str[seg.Stop:]), true
			}
		}
	}
	return "", "", false
}

// edgeWord finds a word that is the whole first or last word of a line; rest is the line without it.
func edgeWord(line string, words []string) (word, rest string, ok bool) {
	const around = " \t\r\n*_.,:;!-"
	bare := strings.Trim(line, around)
	end := line[len(strings.TrimRight(line, "\n")):]
	for _, w := range words {
		if w == "" {
			continue
		}
		if after, found := strings.CutPrefix(bare, w); found && (after == "" || !isIdent(firstRune(after))) {
			return w, strings.Trim(after, around) + end, true
		}
		if before, found := strings.CutSuffix(bare, w); found && !isIdent(lastRune(before)) {
			return w, strings.Trim(before, " \t*_,:;-") + end, true
		}
	}
	return "", "", false
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
