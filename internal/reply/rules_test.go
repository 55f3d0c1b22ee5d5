package reply

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// This file states the rules for cells a second time, in terms of what goldmark finds with all its parsers.

var (
	infoTag   = regexp.MustCompile(`^[{.\s]*([^\s{}:,;=]*)`)
	cellTag   = regexp.MustCompile(`(?i)^(go|golang|repl)$`)
	cellFence = regexp.MustCompile("(?i)^(?:[\\s>*+-]|\\d+[.)])*(?:`{3,}|~{3,})\\s*(?:go|golang|repl)\\s*$")
)

// blockNode is a block of code as goldmark reports it.
type blockNode struct {
	fenced      bool
	tag         string
	body        string
	line        int // its first line
	first, last int // the lines of its body; none if last is before first
}

func goldmarkBlocks(src string) (blocks []blockNode) {
	lineOf := func(at int) int { return strings.Count(src[:at], "\n") + 1 }
	doc := goldmark.DefaultParser().Parse(text.NewReader([]byte(src)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		b := blockNode{}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			b.fenced, b.line = true, lineOf(n.Pos())
			b.first, b.last = b.line+1, b.line
			if n.Info != nil {
				b.tag = infoTag.FindStringSubmatch(strings.TrimSpace(string(n.Info.Value([]byte(src)))))[1]
			}
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		b.body = string(n.Lines().Value([]byte(src)))
		if lines := n.Lines(); lines.Len() > 0 {
			b.first, b.last = lineOf(lines.At(0).Start), lineOf(lines.At(lines.Len()-1).Start)
		}
		if !b.fenced {
			b.line = b.first
		}
		blocks = append(blocks, b)
		return ast.WalkContinue, nil
	})
	return blocks
}

// breaksRules returns the rule for cells that the parsed reply breaks, or "". The reply must contain no thinking
// and must not be cut.
func breaksRules(src string) string {
	r := Parse(src, DefaultNames(), false)
	blocks := goldmarkBlocks(src)
	skipped := map[int]SkippedBlock{}
	for _, s := range r.Skipped {
		skipped[s.Line] = s
	}
	tagged := false
	for _, b := range blocks {
		tagged = tagged || b.fenced && cellTag.MatchString(b.tag)
	}
	cells := map[int]Cell{}
	for _, c := range r.Cells {
		cells[c.Line] = c
	}
	if len(cells) != len(r.Cells) {
		return "two cells on a line"
	}
	for _, b := range blocks {
		if !b.fenced {
			continue
		}
		cell, isCell := cells[b.first]
		delete(cells, b.first)
		s, isSkipped := skipped[b.line]
		if !isSkipped && r.Imitates > 0 { // a cell after an imitation is reported with the line of its code
			s, isSkipped = skipped[b.first]
		}
		switch {
		case isCell == isSkipped:
			return fmt.Sprintf("the block on line %d is a cell (%t) and skipped (%t)", b.line, isCell, isSkipped)
		case isCell && (cell.Source != b.body || cell.Lang != b.tag):
			return fmt.Sprintf("the cell on line %d is not the block's text", b.line)
		case isCell && strings.TrimSpace(b.body) == "":
			return fmt.Sprintf("the cell on line %d is empty", b.line)
		case isCell && b.tag != "" && !cellTag.MatchString(b.tag):
			return fmt.Sprintf("the cell on line %d has another tag", b.line)
		case isCell && cell.Untagged != (b.tag == ""), isCell && b.tag == "" && tagged:
			return fmt.Sprintf("the cell on line %d has no tag", b.line)
		case isSkipped && s.Reason == "", isSkipped && cellTag.MatchString(b.tag) && !s.Half():
			return fmt.Sprintf("the skipped block on line %d is not called half a cell", b.line)
		case isSkipped && b.tag != "" && !cellTag.MatchString(b.tag) && s.Lang != b.tag:
			return fmt.Sprintf("the language of the skipped block on line %d", b.line)
		}
	}
	if len(cells) > 0 {
		return fmt.Sprintf("no block is the cell %+v", cells)
	}
	return breaksFences(src, r, blocks)
}

// breaksFences returns an error for the first line that looks like the start of a cell, but neither is one nor is
// reported.
func breaksFences(src string, r Reply, blocks []blockNode) string {
	within := map[int]bool{}
	for _, b := range blocks {
		for line := b.line; line <= max(b.line, b.last); line++ {
			within[line] = true
		}
	}
	for _, s := range r.Skipped {
		within[s.Line] = true
	}
	for i, line := range strings.Split(src, "\n") {
		if cellFence.MatchString(line) && !within[i+1] {
			return fmt.Sprintf("the fence on line %d opens nothing, and nobody says so", i+1)
		}
	}
	return ""
}

func TestTheRulesOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := markdown(
			"+ ", "2. ", "10) ", "<pre>\n", "</pre>", "-->\n", "<?", "]]>", "<a href='x'>\n", "-\n", "* * *\n", "##",
			"a", "1.\n",
			"Golang\n", "repl", "```go\n", "```go\n", "```\n", "~~~", "```text\n", "``` {.go}\n", "x()\n",
			"    ```go\n",
			"     ", "\n   ", "\t\t", ">\t", "-\t",
		).Draw(t, "reply")
		require.Empty(t, breaksRules(src), "%q", src)
	})
}

func TestTheRulesOfCellsInHostileReplies(t *testing.T) {
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		for name, src := range kind(2 << 10) {
			if strings.Contains(src, "think") {
				continue
			}
			require.Empty(t, breaksRules(src), name)
		}
	}
}

func FuzzTheRulesOfCells(f *testing.F) {
	f.Add("- a\n  > b\n\n\t```go\n\tx\n1. c\n===\n<div>\n# d #\n")
	f.Fuzz(func(t *testing.T, src string) {
		src = strings.NewReplacer("\r", "", "[", "(").Replace(src) // the rules here omit "\r" and link definitions
		if l := readMarkdown(src); l.unread != "" || stripThinking(src).said != src {
			t.Skip()
		}
		require.Empty(t, breaksRules(src), "%q", src)
	})
}
