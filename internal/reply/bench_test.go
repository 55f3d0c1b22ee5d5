package reply

import (
	"fmt"
	"strings"
	"testing"
)

// repeat repeats s up to n bytes.
func repeat(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }

// bigReplies returns replies of n bytes, of the most expensive kinds.
func bigReplies(n int) map[string]string {
	return map[string]string{
		"prose": repeat("Based on `x` the *total* of FINAL values is (about) 42, and so on and so forth, as it were.\n\n", n-10) + "\nFINAL(42)",
		"cells": repeat("Let me look.\n\n```go\nfor i := range 10 {\n\tfmt.Println(i, `a`)\n}\n```\n\n", n-10) +
			"\nFINAL(42)",
		"one cell":    "```go\n" + repeat("\tfmt.Println(strings.ToUpper(x), \"FINAL(x)\")\n", n),
		"one line":    repeat("Based on `x` my analysis the total is about 42 and ", n-10) + "\n\nFINAL(42)",
		"calls":       repeat("FINAL(42)\n\nfinish_task(\"x\")\n\n", n),
		"long answer": "FINAL(\"\"\"" + repeat("Some \\\"line\\\" of the (answer).\n\n", n) + "\"\"\")",
	}
}

// hostileReplies are replies of n bytes that make a careless parser take more than linear time.
func hostileReplies(n int) map[string]string {
	var runs strings.Builder
	for i := 1; runs.Len() < n; i++ {
		runs.WriteString(strings.Repeat("`", i) + " ")
	}
	out := map[string]string{"runs": runs.String()[:n-10] + " FINAL(x)"}
	for name, s := range map[string]string{
		"quotations": ">", "numbers": "1. ", "bullets": "* + - ", "ticks": "\\`` ", "open calls": "FINAL(",
		"open strings": `FINAL("`,
		"strings":      `FINAL("" `, "tags": "<a href=\"", "comments": "<!-- ", "comment blocks": "<!--\n",
		"brackets":   "[",
		"references": "[a]: b\n",
		"fences":     "```\n", "go fences": "```go\n", "thinking": "<think>\n", "close thinking": "</think>\n",
		"braces": "FINAL({", "lists": "- a\n  - b\n    - c\n",
		"names": "finish_task\n", "spaced names": "FINAL_VAR ", "quotes": "FINAL('a'b ", "setext": "a\n=\n",
		"lazy": "> a\nb\n", "html": "<div>\n", "tag lines": "<a>\n\n", "no tags": "<a b\n",
		"escapes": `FINAL("\u00e9\q`, "newlines": "\n", "inline": "FINAL(x) `", "nested": "FINAL(FINAL(\"x\") ",
		"tabs": "\t", "untagged": "```\nx := 1\n```\n",
	} {
		out[name] = repeat(s, n-10) + "\nFINAL(x)"
		out[name+" then space"] = repeat(s, n/2) + strings.Repeat("\n", n/2)
	}
	for name, line := range map[string]string{
		"lists": "- x\n", "text": "x\n", "blank": "x\n\n", "fence": "```go\n", "quotation": "> x\n",
	} {
		out["stairs, then "+name] = stairs(n, line)
	}
	for name, s := range map[string]string{
		"short lists": "- a\n- b\n\ntext\n\n", "one list": "- a\n", "loose list": "- a\n- b\n\n",
		"alternating lists": "- a\n+ b\n", "numbered lists": "1. a\n1) b\n",
		"empty items": "-\n+\n", "gaps in items": "-\n\n",
		"wide lists":      strings.Repeat("- ", 31) + "a\n" + strings.Repeat("+ ", 31) + "a\n",
		"wide quotations": strings.Repeat(">", 32) + "\n\n", "lists of quotations": "- > - > a\n",
		"fences in lists": "- ```\n", "code in lists": "-     a\n",
		"headings": "# a\n", "breaks": "---\n", "paragraphs": "a\n\n", "letters": "a\n", "indented": "    a\n\nb\n\n",
		"angles": "<\n", "bold": "<b\n",
		"scripts": "<script>\n</script>\n", "tildes": "~~~\n~~~\n", "open attributes": "<a b=\"c\" ",
		"declarations": "<!A ", "tabs in quotations": ">" + strings.Repeat("\t", 100) + "\n",
		"emphasis": "*a _b ", "links": "[a](b) ", "tables": "|a|b|\n|-|-|\n", "assignments": "a = 1\n",
		"stray fences": "a\n    ```go\n\n",
		"deep lists, then gaps": strings.Repeat("- ", 32) + "x" + strings.Repeat("\n", 64) +
			strings.Repeat(" ", 64) + "x",
		"deep lists, then a fence": strings.Repeat("- ", 32) + "```\n" + strings.Repeat("\n", 64) +
			strings.Repeat(" ", 64) + "x",
		"deep lists, then short gaps": strings.Repeat("- ", 32) + "x" + strings.Repeat("\n", 9) +
			strings.Repeat(" ", 64) + "x",
		"deep lists, then text":      strings.Repeat("- ", 32) + strings.Repeat("x\n", 3000),
		"deep quotations, then text": strings.Repeat("> ", 32) + strings.Repeat("x\n", 3000),
	} {
		out[name] = repeat(s, n)
	}
	var idents strings.Builder
	for i := range maxIdentifiers - 1 {
		fmt.Fprintf(&idents, "A%d ", i)
	}
	out["identifiers"] = "```go\n" + repeat(idents.String(), n)
	out["a long heading"] = repeat("a\n", n-4) + "=\n"
	out["tab stairs"] = strings.ReplaceAll(stairs(n, "- x\n"), "    ", "\t")
	out["tab stairs, then gaps"] = strings.ReplaceAll(stairs(n, "- x\n"+strings.Repeat("\n", 9)), "    ", "\t")
	out["stairs, then short gaps"] = stairs(n, "- x\n"+strings.Repeat("\n", 9))
	out["stairs, then gaps"] = stairs(n/2, "- x\n") + repeat(strings.Repeat("\n", 60)+"  x\n", n/2)
	out["quoted stairs"] = strings.ReplaceAll(stairs(n, "- x\n"), "\n", "\n>")
	return out
}

// stairs returns a list that is nested a level deeper on each line, followed by copies of line at the deepest
// level.
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

// usualReplies returns replies of 32 KB: prose, and prose with as much code.
func usualReplies() map[string]string {
	const prose = "I will group the lines by service, take the mean of what they took, and compare the two largest.\n\n"
	const cell = "```go\ntook := map[string][]float64{}\nfor line := range strings.Lines(context) {\n\tf := strings.Fields(line)\n" +
		"\ttook[f[1]] = append(took[f[1]], 1)\n}\nfmt.Println(len(took))\n```\n\n"
	return map[string]string{
		"prose": repeat(prose, 32<<10), "prose and a cell": repeat(prose, 32<<10-len(cell)) + cell,
		"prose and cells": repeat(prose+prose+cell, 32<<10),
	}
}

func BenchmarkParse32KB(b *testing.B) {
	for name, reply := range usualReplies() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(reply, DefaultNames(), false)
			}
		})
	}
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

// BenchmarkParseHostile1MB parses replies that are made to be slow. Each may be slower than others only by the
// cost of its blocks.
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
