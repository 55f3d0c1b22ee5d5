package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// codeLine is a line that only code has, whatever stands around it: the head of a branch or loop with its brace, the tag of a
// language, a statement between backticks. In a list such a line only names things.
var codeLine = lazy.Regexp(`^\s*(?:(?:\}\s*)?(?:if|for|func|switch|select|else|while|try|function)\b.*\{\s*$|<(?i:code|cell|tool_code)>\s*$|` +
	`<(?i:python|py|ipython|go|golang|repl|bash|sh|sql|javascript|js)>` +
	"|`+(?:[^`]*:=|\\w+ = [\\w.]+\\(|fmt\\.Print|print\\()[^`]*`+\\s*$)")

// isCodeLine reports whether only code has a line.
func isCodeLine(line string) bool {
	if !holdsAny(line, "{>`") {
		return false
	}
	text := trim(line)
	if len(text) < 2 {
		return false
	}
	may := false
	switch last := text[len(text)-1]; text[0] {
	case '<':
		may = (strings.IndexByte("pigrbsjct", text[1]|0x20) >= 0 || text[1] == longS[0]) && strings.IndexByte(text, '>') >= 0
	case '`':
		may = last == '`' && (strings.IndexByte(text, '=') >= 0 || strings.Contains(text, "rint"))
	default:
		may = last == '{'
	}
	return may && codeLine().MatchString(line)
}

// holdsAny is strings.ContainsAny for many short texts, for which that makes a set each time.
func holdsAny(s, chars string) bool {
	for i := range len(chars) {
		if strings.IndexByte(s, chars[i]) >= 0 {
			return true
		}
	}
	return false
}

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
	if len(src) < len("f(") {
		return false
	}
	if strings.Contains(src, ":=") {
		return true
	}
	for i := 1; i < len(src); i++ {
		if src[i] == '(' && isWordByte(src[i-1]) {
			return true
		}
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
	for i := 0; ; {
		at := strings.Index(src[i:], word)
		if at < 0 {
			return false
		}
		at += i
		i = at + len(word)
		if (at == 0 || !isWordByte(src[at-1])) && (i == len(src) || !isWordByte(src[i])) {
			return true
		}
	}
}

// asciiWord is the length of the word at the start of s.
func asciiWord(s string) int {
	n := 0
	for n < len(s) && isWordByte(s[n]) {
		n++
	}
	return n
}

// looksLikePython reports whether a text holds a line that only a script has.
func looksLikePython(src string) bool {
	for line := range strings.Lines(src) {
		if len(line) < len("f(") {
			continue
		}
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
	switch rest := line[n:]; {
	case rest[0] == '(':
		return line[:n] == "print"
	case rest[0] == '.':
		return line[:n] == "console"
	case rest[0] != ' ':
		return false
	case strings.HasPrefix(rest, " = ") || strings.HasPrefix(rest, " += "):
		return true
	}
	switch line[:n] {
	case "for", "while", "if", "elif", "with":
		return strings.IndexByte(line, ':') >= 0
	case "def", "class", "import", "from", "const", "let":
		return true
	}
	return false
}

var python = lazy.Regexp(`^(?:def \w+\(|class \w+[(:]|for \w[\w, ]* in .*:(?:\s*$| \w+\()|while .*:\s*$|if .*:\s*$|elif .*:\s*$|import \w+\s*$|` +
	`from \w[\w.]* import |with .* as \w+:\s*$|print\(.*\)\s*$|\w+ \+?= [\w.]+\(.*\)\s*$|\w+ = \[.* for .*\]\s*$|const \w+ = |let \w+ = |console\.log\()`)
