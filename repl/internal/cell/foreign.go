package cell

import (
	"regexp"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// habit is a notation that other languages have, but Go does not.
type habit struct {
	// message must occur in Go's error message; an empty one matches any.
	message string
	pattern func() *regexp.Regexp
	// advice is the text to return; $1 stands for the first group of the pattern.
	advice string
	// write builds the advice where a template is not enough.
	write func(groups []string) string
}

const (
	quotes   = "texts over several lines stand between backquotes"
	function = "a function in place is written like func(x int) int { return x + 1 }"
	loops    = "Go has no comprehensions: append in a for loop, as in for _, x := range xs { out = append(out, x) }"
)

// habits are checked in this order; the first match wins.
var habits = []habit{
	{pattern: startup.Regexp(`[\[{(].*\bfor \w+(?:, ?\w+)? in\b`), advice: loops},
	{
		pattern: startup.Regexp(`^\s*for (\w+) in range\(([\w.]+|len\(\w+\))\)`),
		advice:  "the line is Python, cells are written in Go: for $1 := range $2 {",
	},
	{
		pattern: startup.Regexp(`^\s*for (\w+), ?(\w+) in (?:enumerate\((\w+)\)|(\w+)(?:\.items\(\))?)\s*[:{]`),
		advice:  "the line is Python, cells are written in Go: for $1, $2 := range $3$4 {",
	},
	{
		pattern: startup.Regexp(`^\s*(?:for|foreach)\b\s*\(?(?:let |const |var |auto )?(\w+) (?:in|of) ([\w.]+\((?:"[^"]*"|'[^']*'|[^:{"'])*\)|[\w.]+)\)?\s*[:{]?`),
		write:   ranging,
	},
	{pattern: startup.Regexp(`(?:^|[^\w"'` + "`" + `])[fF](?:"([^"]*)"|'([^']*)')`), write: formatted},
	{
		pattern: startup.Regexp(`(?:^|[^\w"'` + "`" + `])[rR](?:"([^"` + "`" + `]*)"|'([^'` + "`" + `]*)')`),
		advice:  "a text without escapes stands between backquotes: `$1$2`",
	},
	{
		pattern: startup.Regexp(`^\s*(%%?[a-zA-Z]\w*|%%)`),
		advice:  "$1 is a magic of a Jupyter kernel, and there are none here: leave the line out",
	},
	{pattern: startup.Regexp(`"""|'''`), advice: quotes},
	{
		message: "string literal not terminated", pattern: startup.Regexp(`"`),
		advice: "the closing \" is missing in this line; " + quotes,
	},
	{
		message: "unknown escape", pattern: startup.Regexp(`\\`),
		advice: "write patterns between backquotes, as in regexp.MustCompile(`\\d+`); between double quotes every \\ is written twice",
	},
	{
		message: "rune literal", pattern: startup.Regexp(`'([^'"\\]{2,80})'`),
		advice: `in Go, texts stand in double quotes: "$1"`,
	},
	{
		message: "rune literal", pattern: startup.Regexp(`'`),
		advice: "in Go, texts stand in double quotes; single quotes hold one character",
	},
	{
		message: "is never closed", pattern: startup.Regexp(`[\w)\]]\s*//\s*[\w.]+(?:\([^()]*\))?\s*\)`),
		advice: "// begins a comment; Go divides whole numbers with /",
	},
	{
		pattern: startup.Regexp(`^\s*(?:let mut|let|auto|const var|my|local|val) (\w+)(?:\s*:\s*\w+)?\s*=\s*([^=].*?);?\s*$`),
		advice:  "a variable is declared with $1 := $2",
	},
	{pattern: startup.Regexp(`^\s*var (\w+)(?: \w+)? := (.+?);?\s*$`), advice: "write $1 := $2, without var"},
	{
		pattern: startup.Regexp(`^\s*(?:int|string|String|str|float|double|float64|long|bool|boolean|char) (\w+) = (.+?);?\s*$`),
		advice:  "a variable is declared with $1 := $2",
	},
	{
		pattern: startup.Regexp(`^\s*elif (.+?)\s*(?::|\{.*)?$`),
		advice:  "the line is Python, cells are written in Go: } else if $1 {",
	},
	{
		pattern: startup.Regexp(`^\s*if (?:(\w+) is None|not (\w+)):\s*$`),
		advice:  "the line is Python, cells are written in Go, with blocks between braces and comparisons: if $1$2 == nil {, or == 0, or == \"\"",
	},
	{pattern: startup.Regexp(`^\s*(if|while) (.+):\s*$`), write: block},
	{pattern: startup.Regexp(`^\s*else:\s*$`), advice: "the line is Python, cells are written in Go: } else {"},
	{
		pattern: startup.Regexp(`^\s*(?:async )?def (\w+)\(`),
		advice:  "the line is Python; in Go a function is written like func $1(x int) int { … }",
	},
	{
		pattern: startup.Regexp(`^\s*(?:async )?(?:function|fn|fun) (\w+)\(`),
		advice:  "a function is written like func $1(x int) int { … }",
	},
	{
		pattern: startup.Regexp(`^\s*(func .*\))\s*(?::|->)\s*(\w+)`),
		advice:  "the type of the result follows without a sign: $1 $2 {",
	},
	{pattern: startup.Regexp(`\blambda\b|=>`), advice: function},
	{pattern: startup.Regexp(`===|!==`), advice: "Go compares with == and !="},
	{pattern: startup.Regexp(`\?\.|\?\?`), advice: "Go has no ?. and ??; test with if x != nil"},
	{
		pattern: startup.Regexp(`(?:=|return) .+ if .+ else .+`),
		advice:  "Go has no conditional expression; use if and else",
	},
	{
		message: "found in", pattern: startup.Regexp(`\bin\b`),
		advice: "write strings.Contains(text, part) for texts, slices.Contains(list, x) for lists, _, ok := m[key] for maps",
	},
	{pattern: startup.Regexp(`\bis (?:not )?None\b`), advice: "write == nil or != nil"},
	{
		message: "found", pattern: startup.Regexp(`(?:\)|\w) (?:and|or) (?:\(|\w|!)|\b(?:if|and|or|return) not\b`),
		advice: "Go writes && for and, || for or, ! for not",
	},
	{message: "expecting ]", pattern: startup.Regexp(`\[([^\[\]]*,[^\[\]]*)\]`), write: list},
	{pattern: startup.Regexp(`=\s*\[([^\[\]]*)\]\s*;?\s*$`), write: list},
	{
		message: "found '{'", pattern: startup.Regexp(`(?:=|return|\()\s*\{`),
		advice: `a map names its type: map[string]int{"a": 1}; a list too: []string{"a"}`,
	},
	{
		message: "found '++'", pattern: startup.Regexp(`\+\+`),
		advice: "x++ is a statement of its own in Go, and only behind the variable; use x in the next one",
	},
	{
		message: "found '--'", pattern: startup.Regexp(`--`),
		advice: "x-- is a statement of its own in Go, and only behind the variable; use x in the next one",
	},
	{
		pattern: startup.Regexp(`^\s*(?:raise|throw)\b`),
		advice:  `Go has no exceptions: panic("…") ends the cell with a message`,
	},
	{pattern: startup.Regexp(`^\s*(?:print|echo|puts) ([^(=:].*?);?\s*$`), advice: "write fmt.Println($1)"},
	{pattern: startup.Regexp(`^\s*del (\w+)\[(.+)\]\s*$`), advice: "write delete($1, $2)"},
	{
		pattern: startup.Regexp(`^\s*for \((?:let |int |var )?(.*;.*;.*)\)\s*\{`),
		advice:  "Go writes loops without parentheses: for $1 {, where a variable is declared with i := 0",
	},
	{
		message: "range expression", pattern: startup.Regexp(`^\s*for (\w+(?:, ?\w+)?) :?= ([^;{]+?)\s*\{`),
		advice: "write for $1 := range $2 {",
	},
	{
		pattern: startup.Regexp(`^\s*(?:struct|class) (\w+)`),
		advice:  "a type is written like type $1 struct { Name string }, and its methods like func (x $1) Method() int { … }",
	},
	{
		message: "found '{'", pattern: startup.Regexp(`\bmap\s*\{`),
		advice: `a map names the types of its keys and values: map[string]int{"a": 1}`,
	},
	{
		message: "found 'else'", pattern: startup.Regexp(`\belse\b`),
		advice: "else stands on the line of the closing brace: } else {",
	},
	{
		message: "unexpected newline, expecting {", pattern: startup.Regexp(`.`),
		advice: "the opening brace stands on the same line, as in if x > 0 {",
	},
	{message: "found assignment", pattern: startup.Regexp(`[^=!<>:]=[^=]`), advice: "== compares, = assigns"},
}

// foreign returns advice if a line, or the line before it, uses a notation of another language; empty if no habit
// matches.
func foreign(lines []string, line int, message string) string {
	for at := line; at > line-2; at-- {
		if at < 1 || at > len(lines) {
			continue
		}
		for _, h := range habits {
			if !strings.Contains(message, h.message) {
				continue
			}
			where := h.pattern().FindStringSubmatchIndex(lines[at-1])
			if where == nil {
				continue
			}
			if h.write == nil {
				return string(h.pattern().ExpandString(
					nil, strings.ReplaceAll(h.advice, "$1$2", "${1}${2}"), lines[at-1], where))
			}
			if advice := h.write(h.pattern().FindStringSubmatch(lines[at-1])); advice != "" {
				return advice
			}
		}
	}
	return ""
}

// ranging rewrites a loop of another language as a range loop.
func ranging(groups []string) string {
	over := groups[2]
	for strings.Count(over, ")") > strings.Count(over, "(") { // as in "for (const x of f(y)) {"
		over = strings.TrimSuffix(over, ")")
	}
	if of, lines := strings.CutSuffix(over, ".splitlines()"); lines {
		over = "strings.Split(" + of + `, "\n")`
	} else if of, separator, ok := strings.Cut(over, ".split("); ok && separator == ")" {
		over = "strings.Fields(" + of + ")"
	} else if ok {
		over = "strings.Split(" + of + ", " + strings.ReplaceAll(separator, "'", `"`)
	}
	return "cells are written in Go: for _, " + groups[1] + " := range " + over + " {"
}

// block rewrites the first line of a block, such as while x:, which ends in a colon.
func block(groups []string) string {
	if groups[1] == "while" {
		return "Go has no while; use for " + groups[2] + " {"
	}
	return "blocks stand between braces: if " + groups[2] + " {"
}

var replacement = startup.Regexp(`\{([^{}:!]+)(?::([^{}]*))?[^{}]*\}`)

// formatted rewrites a format string with values in braces as a fmt.Sprintf call.
func formatted(groups []string) string {
	text, args := groups[1]+groups[2], ""
	text = replacement().ReplaceAllStringFunc(strings.ReplaceAll(text, "%", "%%"), func(s string) string {
		m := replacement().FindStringSubmatch(s)
		args += ", " + m[1]
		if strings.HasPrefix(m[2], ".") && strings.HasSuffix(m[2], "f") {
			return "%" + m[2]
		}
		return "%v"
	})
	return `write fmt.Sprintf("` + text + `"` + args + ")"
}

// list rewrites a list in brackets as a composite literal with an element type.
func list(groups []string) string {
	elem, items := "int", strings.TrimSpace(groups[1])
	switch {
	case strings.ContainsAny(items, `"'`):
		elem, items = "string", strings.ReplaceAll(items, "'", `"`)
	case strings.Contains(items, "."):
		elem = "float64"
	}
	return "a list names its type: []" + elem + "{" + items + "}"
}
