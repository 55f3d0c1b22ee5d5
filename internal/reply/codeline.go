package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// codeLine matches a line that occurs only in code, in any surroundings: the head of a branch or loop with its
// brace, the tag of a language, a statement between backticks. In a list such a line is only a mention.
var codeLine = startup.Regexp(
	`^\s*(?:(?:\}\s*)?(?:if|for|func|switch|select|else|while|try|function)\b.*\{\s*$|<(?i:code|cell|tool_code)>\s*$|`,
	`<(?i:python|py|ipython|go|golang|repl|bash|sh|sql|javascript|js)>`,
	"|`+(?:[^`]*:=|\\w+ = [\\w.]+\\(|fmt\\.Print|print\\()[^`]*`+\\s*$)")

// isCodeLine reports whether a line occurs only in code.
func isCodeLine(line string) bool {
	if !holdsAny(line, "{>`") {
		return false
	}
	text := trim(line)
	may := strings.HasSuffix(text, "{")
	switch {
	case strings.HasPrefix(text, "<"):
		may = holdsAny(strings.ToLower(text[:min(len(text), 2)]), "pigrbsjct")
	case strings.HasPrefix(text, "`"):
		may = strings.HasSuffix(text, "`") && (strings.Contains(text, "=") || strings.Contains(text, "rint"))
	}
	return may && codeLine().MatchString(line)
}

// holdsAny is like strings.ContainsAny, but does not build a set of characters each time, which is slow for many
// short texts.
func holdsAny(s, chars string) bool {
	for i := range len(chars) {
		if strings.Contains(s, chars[i:i+1]) {
			return true
		}
	}
	return false
}

// isOneOf reports whether c is one of chars.
func isOneOf(c byte, chars string) bool { return strings.IndexByte(chars, c) != -1 }

// isOtherFence reports whether a line resembles a fence, such as three apostrophes.
func isOtherFence(line string) bool {
	if !holdsAny(line, "'\"`~") {
		return false
	}
	text := trim(line)
	for _, fence := range [...]string{"'''", `"""`, "```", "~~~"} {
		if tag, ok := strings.CutPrefix(text, fence); ok {
			tag = trimLeft(tag)
			return asciiWord(tag) == len(tag)
		}
	}
	return false
}

// runs reports whether a text declares or calls something, as code does and a formula does not.
func runs(src string) bool {
	if strings.Contains(src, ":=") {
		return true
	}
	before := byte(' ')
	for _, c := range []byte(src) {
		if c == '(' && isWordByte(before) {
			return true
		}
		before = c
	}
	for _, w := range [...]string{"func", "import", "var", "for", "range"} {
		if hasWord(src, w) {
			return true
		}
	}
	return false
}

// hasWord reports whether src contains an ASCII word.
func hasWord(src, word string) bool {
	for {
		before, after, found := strings.Cut(src, word)
		if !found {
			return false
		}
		n := asciiWord(after)
		if n == 0 && (before == "" || !isWordByte(before[len(before)-1])) {
			return true
		}
		src = after[n:]
	}
}

// asciiWord returns the length of the word at the start of s.
func asciiWord(s string) int {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return i
		}
	}
	return len(s)
}

// isWordByte reports whether c is an ASCII letter, digit or underscore, like \w in a regular expression.
func isWordByte(c byte) bool { return isLetter(c) || isOneOf(c, "_0123456789") }

// looksLikePython reports whether a text has a line that occurs only in scripts.
func looksLikePython(src string) bool {
	for line := range strings.Lines(src) {
		if line = trimLeft(strings.TrimSuffix(line, "\n")); mayBePython(line) && python().MatchString(line) {
			return true
		}
	}
	return false
}

// mayBePython reports whether a line begins like a line of a script.
func mayBePython(line string) bool {
	n := asciiWord(line)
	if n == 0 || n == len(line) {
		return false
	}
	switch line[:n] {
	case "print":
		return line[n] == '('
	case "console":
		return line[n] == '.'
	case "for", "while", "if", "elif", "with":
		return strings.Contains(line, ":")
	case "def", "class", "import", "from", "const", "let":
		return line[n] == ' '
	}
	return strings.HasPrefix(line[n:], " = ") || strings.HasPrefix(line[n:], " += ")
}

var python = startup.Regexp(
	`^(?:def \w+\(|class \w+[(:]|for \w[\w, ]* in .*:(?:\s*$| \w+\()|while .*:\s*$|if .*:\s*$|elif .*:\s*$|import \w+\s*$|`,
	`from \w[\w.]* import |with .* as \w+:\s*$|print\(.*\)\s*$|\w+ \+?= [\w.]+\(.*\)\s*$|\w+ = \[.* for .*\]\s*$|const \w+ = |let \w+ = |console\.log\()`)
