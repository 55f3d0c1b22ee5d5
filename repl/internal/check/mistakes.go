package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// mistake is a common mistake: a pattern for Go's message about it, and advice in which $1 stands for the first
// group.
type mistake struct {
	message func() *regexp.Regexp
	advice  string
}

var mistakes = []mistake{
	{startup.Regexp(`^cannot slice unaddressable value (.{1,60}) \(`), "copy it first: v := $1; v[…]"},
	{
		startup.Regexp(`\(untyped float constant\) truncated to int`),
		"convert the whole number first, as in float64(n) / 2.5",
	},
	{
		startup.Regexp(`^((?:sort|slices)\.\w+)\(.*\(no value\) used as value$`),
		"$1 changes what it is given and returns nothing: call it as a statement of its own",
	},
	{
		startup.Regexp(`^(\w+(?:\.\w+)*)\(.*\(no value\) used as value$`),
		"$1 returns nothing: call it as a statement of its own",
	},
	{
		startup.Regexp(`^(\S+) (?:\(value of type .*\) )?must be called$`),
		"$1 is a function; write its arguments in parentheses",
	},
	{
		startup.Regexp(`^cannot use (\w+|\S{1,40}) \((?:value|variable) of type \[\]\S+\) as \S+ value in argument to append$`),
		"append takes single values, or a list with dots: append(xs, $1...)",
	},
	{
		startup.Regexp(`^cannot use '(.{1,10}?)' \(untyped rune constant .*\) as string value`),
		`in Go, texts stand in double quotes: "$1"`,
	},
	{
		startup.Regexp(`operator - not defined on .{1,60} \(.* of (?:struct )?type time\.Time\)`),
		"the time between two is late.Sub(early)",
	},
	{
		startup.Regexp(`is not constant$`),
		"constants are numbers, texts and truth values; declare it with := instead",
	},
	{
		startup.Regexp(`^use of untyped nil in`),
		"nil has no type of its own: declare the variable with one, as in var x []string",
	},
	{
		startup.Regexp(`^assignment mismatch: 2 variables but (.{1,60}?) returns 1 value$`),
		"it returns one value: x := $1(…)",
	},
	{
		startup.Regexp(`^cannot convert (.{1,40}) \((?:untyped string constant|.* of type string)\) to type u?int\d*$`),
		"strconv.Atoi reads a number from text: n, err := strconv.Atoi($1)",
	},
	{
		startup.Regexp(`^cannot convert (.{1,40}) \((?:untyped string constant|.* of type string)\) to type float64$`),
		"strconv.ParseFloat reads it from text: x, err := strconv.ParseFloat($1, 64)",
	},
	{startup.Regexp(`\(mismatched types string and untyped nil\)$`), `a string is never nil: compare it with ""`},
	{
		startup.Regexp(`\(mismatched types (?:int|float64|bool) and untyped nil\)$`),
		"it is never nil: compare it with a value of its type",
	},
	{
		startup.Regexp(`\(mismatched types (?:byte|rune) and untyped string\)$`),
		"one character stands in single quotes, as in 'a'",
	},
	{startup.Regexp(`\(mismatched types (?:byte|rune) and string\)$`), "convert the character: string(c)"},
}

var (
	negative = startup.Regexp(`index -(\d+) .*must not be negative$`)
	tooMany  = startup.Regexp(`^too many return values`)
)

// mistake returns advice for code that is valid only in other languages; empty if the message is unknown.
func (r *reporter) mistake(e types.Error, msg string) string {
	if m := negative().FindStringSubmatch(msg); m != nil {
		return r.fromTheEnd(e.Pos, m[1])
	}
	if tooMany().MatchString(msg) {
		return r.withoutResult(e.Pos)
	}
	for _, known := range mistakes {
		if at := known.message().FindStringSubmatchIndex(msg); at != nil {
			return string(known.message().ExpandString(nil, known.advice, msg, at))
		}
	}
	return ""
}

// fromTheEnd returns advice for a negative index, which counts from the end in other languages.
func (r *reporter) fromTheEnd(pos token.Pos, n string) (advice string) {
	ast.Inspect(r.file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SliceExpr:
			x := r.short(node.X)
			switch {
			case node.Low != nil && node.Low.Pos() == pos:
				advice = "count from the end with len: " + x + "[len(" + x + ")-" + n + ":]"
			case node.High != nil && node.High.Pos() == pos:
				advice = "count from the end with len: " + x + "[:len(" + x + ")-" + n + "]"
			}
		case *ast.IndexExpr:
			if x := r.short(node.X); node.Index.Pos() == pos {
				advice = "count from the end with len: " + x + "[len(" + x + ")-" + n + "]"
			}
		}
		return true
	})
	return advice
}

// withoutResult returns advice for a function that returns values but declares no result types.
func (r *reporter) withoutResult(pos token.Pos) (advice string) {
	ast.Inspect(r.file, func(node ast.Node) bool {
		fn, ok := node.(*ast.FuncDecl)
		if ok && fn != r.c.Entry && fn.Body != nil && fn.Body.Pos() <= pos && pos <= fn.Body.End() &&
			fn.Type.Results == nil && fn.Name.Name != "main" {
			advice = "name the types of what it returns behind the parameters, as in func " + fn.Name.Name + "(…) int {"
		}
		return advice == ""
	})
	return advice
}
