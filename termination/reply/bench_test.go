package reply

import (
	"strings"
	"testing"
)

// repeat is s over and over, n bytes long.
func repeat(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }

// bigReplies are replies of n bytes, of the kinds that cost the most.
func bigReplies(n int) map[string]string {
	return map[string]string{
		"prose":       repeat("Based on `x` the *total* of FINAL values is (about) 42, and so on and so forth, as it were.\n\n", n-10) + "\nFINAL(42)",
		"cells":       repeat("Let me look.\n\n```go\nfor i := range 10 {\n\tfmt.Println(i, `a`)\n}\n```\n\n", n-10) + "\nFINAL(42)",
		"one cell":    "```go\n" + repeat("\tfmt.Println(strings.ToUpper(x), \"FINAL(x)\")\n", n),
		"one line":    repeat("Based on `x` my analysis the total is about 42 and ", n-10) + "\n\nFINAL(42)",
		"calls":       repeat("FINAL(42)\n\nfinish_task(\"x\")\n\n", n),
		"long answer": "FINAL(\"\"\"" + repeat("Some \\\"line\\\" of the (answer).\n\n", n) + "\"\"\")",
	}
}

// hostileReplies are replies of n bytes that make a careless reader take more than linear time.
func hostileReplies(n int) map[string]string {
	var runs strings.Builder
	for i := 1; runs.Len() < n; i++ {
		runs.WriteString(strings.Repeat("`", i) + " ")
	}
	out := map[string]string{"runs": runs.String()[:n-10] + " FINAL(x)"}
	for name, s := range map[string]string{
		"quotations": ">", "numbers": "1. ", "bullets": "* + - ", "ticks": "\\`` ", "open calls": "FINAL(", "open strings": `FINAL("`,
		"strings": `FINAL("" `, "tags": "<a href=\"", "comments": "<!-- ", "comment blocks": "<!--\n", "brackets": "[", "references": "[a]: b\n",
		"fences": "```\n", "go fences": "```go\n", "thinking": "<think>\n", "close thinking": "</think>\n", "braces": "FINAL({", "lists": "- a\n  - b\n    - c\n",
		"names": "finish_task\n", "spaced names": "FINAL_VAR ", "quotes": "FINAL('a'b ", "setext": "a\n=\n", "lazy": "> a\nb\n", "html": "<div>\n", "tag lines": "<a>\n\n", "no tags": "<a b\n",
		"escapes": `FINAL("\u00e9\q`, "newlines": "\n", "inline": "FINAL(x) `", "nested": "FINAL(FINAL(\"x\") ", "tabs": "\t", "untagged": "```\nx := 1\n```\n",
	} {
		out[name] = repeat(s, n-10) + "\nFINAL(x)"
		out[name+" then space"] = repeat(s, n/2) + strings.Repeat("\n", n/2)
	}
	for name, line := range map[string]string{"lists": "- x\n", "text": "x\n", "blank": "x\n\n", "fence": "```go\n", "quotation": "> x\n"} {
		out["stairs, then "+name] = stairs(n, line)
	}
	out["stairs, then gaps"] = stairs(n/2, "- x\n") + repeat(strings.Repeat("\n", 60)+"  x\n", n/2)
	out["quoted stairs"] = strings.ReplaceAll(stairs(n, "- x\n"), "\n", "\n>")
	return out
}

// stairs are lists in lists, each on a line of its own, and then lines of the depth that they have reached.
func stairs(n int, line string) string {
	var b strings.Builder
	depth := 0
	for ; depth < 400 && b.Len() < n/2; depth++ {
		b.WriteString(strings.Repeat("  ", depth) + "- x\n")
	}
	for b.Len() < n {
		b.WriteString(strings.Repeat("  ", depth) + line)
	}
	return b.String()[:n]
}

func BenchmarkParse1MB(b *testing.B) {
	for name, reply := range bigReplies(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(reply, DefaultNames(), false)
			}
		})
	}
}

// BenchmarkParseHostile1MB holds replies that are made to take long. None may stand out by more than the cost of its blocks.
func BenchmarkParseHostile1MB(b *testing.B) {
	for name, reply := range hostileReplies(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				Parse(reply, DefaultNames(), true)
			}
		})
	}
}
