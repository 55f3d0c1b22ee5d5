package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// codeLine is a line that only code has, whatever stands around it: the head of a branch or loop with its brace, the tag of a
// language, a statement between backticks. In a list such a line only names things.
var codeLine = startup.Regexp(`^\s*(?:(?:\}\s*)?(?:if|for|func|switch|select|else|while|try|function)\b.*\{\s*$|<(?i:code|cell|tool_code)>\s*$|`,
	`<(?i:python|py|ipython|go|golang|repl|bash|sh|sql|javascript|js)>`,
	"|`+(?:[^`]*:=|\\w+ = [\\w.]+\\(|fmt\\.Print|print\\()[^`]*`+\\s*$)")

// isCodeLine reports whether only code has a line.
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

// holdsAny is strings.ContainsAny for many short texts, for which that makes a set each time.
func holdsAny(s, chars string) bool {
	for i := range len(chars) {
		if strings.Contains(s, chars[i:i+1]) {
			return true
		}
	}
	return false
}

// isOneOf reports whether a byte is one of some.
func isOneOf(c byte, chars string) bool { return strings.IndexByte(chars, c) != -1 }

// isOtherFence reports whether a line is one that people take for a fence, such as three apostrophes.
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

// runs reports whether a text does what code does and a formula does not: it declares or calls something.
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

// hasWord reports whether a word of ASCII stands in src.
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

// asciiWord is the length of the word at the start of s.
func asciiWord(s string) int {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return i
		}
	}
	return len(s)
}

// isWordByte reports whether c is a letter, a digit or an underscore of ASCII, as \w of an expression is.
func isWordByte(c byte) bool { return isLetter(c) || isOneOf(c, "_0123456789") }

// looksLikePython reports whether a text holds a line that only a script has.
func looksLikePython(src string) bool {
	for line := range strings.Lines(src) {
		if line = trimLeft(strings.TrimSuffix(line, "\n")); mayBePython(line) && python().MatchString(line) {
			return true
		}
	}
	return false
}

// mayBePython reports whether a line begins as those of scripts do.
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

var python = startup.Regexp(`^(?:def \w+\(|class \w+[(:]|for \w[\w, ]* in .*:(?:\s*$| \w+\()|while .*:\s*$|if .*:\s*$|elif .*:\s*$|import \w+\s*$|`,
	`from \w[\w.]* import |with .* as \w+:\s*$|print\(.*\)\s*$|\w+ \+?= [\w.]+\(.*\)\s*$|\w+ = \[.* for .*\]\s*$|const \w+ = |let \w+ = |console\.log\()`)
