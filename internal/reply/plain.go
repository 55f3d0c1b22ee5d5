package reply

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// notPlain explains why an argument without quotes is not an answer. It returns "" for plain text: two words side
// by side, which no expression contains, or only numbers and capitalised words.
func notPlain(s string) string {
	if strings.TrimSpace(s) == "" || isAddress(s) {
		return ""
	}
	switch {
	case isFunction(s) || !isText(s) || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "//") ||
		divides().MatchString(s):
		return isExpression
	case template().MatchString(s):
		return isTemplate
	}
	return ""
}

// isText reports whether s is certainly text, or a list of names, which may be text.
func isText(s string) bool {
	return wordsSideBySide(s) || isLabel(s) || isAside(s) || names().MatchString(s) ||
		strings.Contains(s, "\n\n") && !selects().MatchString(s)
}

var (
	// names matches a list of names, whose meaning depends on the existing variables.
	names = startup.Regexp(`^[\pL_]\w*(?:,\s*[\pL_]\w*)+$`)
	// selects matches the beginning of an expression of several lines: a call, an index, a selector.
	selects = startup.Regexp(`^[\pL_]\w*[.(\[]`)
)

// divides matches Python's integer division, which would pass for text if words followed.
var divides = startup.Regexp(`^[\w.]+ // [\w.]+$`)

// template matches a placeholder for a value: {total}, ${total}, {len(x):,}, a part of a list.
var template = startup.Regexp(`\$?\{[A-Za-z_][\w.()\[\]'"]*(?::[^{}\s]*)?\}|\b[a-z_]\w*\[[\w:'"-]+\]`)

// isFunction reports whether s is a Go declaration in which words are side by side ("func(s string) string").
func isFunction(s string) bool {
	if !strings.Contains(s, "func") && !strings.Contains(s, "struct") && !strings.Contains(s, "interface") ||
		len(s) > 1<<16 {
		return false
	}
	_, err := parser.ParseExpr(s)
	return err == nil
}

func isAddress(s string) bool {
	scheme, rest, found := strings.Cut(s, "://")
	return found && isIdentifier(scheme) && rest != "" && !strings.ContainsAny(rest, " \t\n\"'`()+")
}

// isAside reports whether s is a word with a remark, "count (approx)", which would be a call in Go.
func isAside(s string) bool {
	if len(s) > 1<<10 {
		return false
	}
	x, err := parser.ParseExpr(s)
	call, ok := x.(*ast.CallExpr)
	if err != nil || !ok || call.Lparen == call.Fun.End() || len(call.Args) != 1 {
		return false
	}
	_, name := call.Fun.(*ast.Ident)
	_, remark := call.Args[0].(*ast.Ident)
	return name && remark
}

// wordsSideBySide reports whether only white space separates two words of s. Strings in s do not count, and words
// that code has between values (if, for, not, …) are no sign of text.
func wordsSideBySide(s string) bool {
	src := []byte(s)
	quotes := stringSkipper{src: src}
	word := false // whether the last token was a word, with only white space after it
	for i := 0; i < len(src); {
		if size, ok := quotes.skip(0, i); ok {
			word = false
			i += size
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if !isIdent(r) {
			word = word && strings.ContainsRune(" \t\u00a0", r)
			i += size
			continue
		}
		end := wordEnd(s, i)
		is := !isCodeWord(s[i:end], s[end:])
		if word && is {
			return true
		}
		i, word = end, is
	}
	return false
}

// wordEnd returns the end of the word at i, including apostrophes inside it.
func wordEnd(s string, i int) int {
	for at, r := range s[i:] {
		if !isIdent(r) && !(strings.ContainsRune("'’", r) && unicode.IsLetter(runeAt(s[i+at+utf8.RuneLen(r):]))) {
			return i + at
		}
	}
	return len(s)
}

// isCodeWord reports whether a word occurs between values in some programming language; rest is the text after it.
func isCodeWord(w, rest string) bool {
	switch w {
	case "if", "else", "for", "in", "not", "and", "or", "lambda", "return", "func", "range", "await", "async", "new",
		"typeof", "yield",
		"instanceof", "function", "chan", "map", "var", "const", "let", "def", "print", "then", "end", "elif", "select",
		"case", "type":
		return true
	case "is":
		return strings.HasPrefix(strings.TrimLeft(rest, " "), "None") ||
			strings.HasPrefix(strings.TrimLeft(rest, " "), "not ")
	}
	return false
}

// isLabel reports whether s consists of numbers and capitalised words, like names and figures: "Paris, France",
// "42%", "3/4".
func isLabel(s string) bool {
	if strings.ContainsAny(s, "=*^|[]{}`\\@_\"") {
		return false
	}
	if operates().MatchString(s) {
		return false
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !isIdent(r) && !strings.ContainsRune("'’", r) })
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Trim(w, "'’") == "" })
	return len(words) != 0 &&
		!slices.ContainsFunc(words, func(w string) bool { return !isProper(strings.Trim(w, "'’")) })
}

// operates matches something that occurs in expressions but not in names and figures: an operator between values or
// before the first one, a selector, a call.
var operates = startup.Regexp(`(?s).[<>~]|.[!+].|^[!&+<-]\pL|\pL\.\pL| [/+] |^\PL.* - |[\pL\p{Nd}]\(`)

// isProper reports whether a word is more likely a number, a name or a word between names than a variable.
func isProper(w string) bool {
	switch w {
	case "and", "or", "of", "to":
		return true
	}
	first := runeAt(w)
	if unicode.IsDigit(first) || utf8.RuneLen(first) > 1 && !unicode.IsLower(first) {
		return true
	}
	rest := strings.TrimPrefix(w, string(first))
	return unicode.IsUpper(first) && (strings.ToUpper(w) == w || !strings.ContainsFunc(rest, unicode.IsUpper))
}

func runeAt(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// IsWord reports whether a single name that is not a variable may itself be the answer: Paris, yes, B. Any other
// name is more likely a variable that was never set.
func IsWord(name string) bool {
	switch name {
	case "yes", "no", "true", "false", "none", "unknown", "never", "always", "both", "neither", "positive", "negative",
		"neutral":
		return true
	}
	return isProper(name) && !IsPlaceholder(name)
}
