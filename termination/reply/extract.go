package reply

import (
	"bytes"
	"slices"
	"strings"
)

// normalize gives a text the line ends of Unix.
func normalize(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\r\n", "\n")
}

func unclosedThinking(line int) Skipped {
	return Skipped{
		Line:   line,
		Reason: "everything from here on stands inside a tag for thinking, which is never closed: nothing of it was run or read",
	}
}

// extract finds the cells of a reply and the blocks that are not run: no block is dropped silently, each is one or the other.
func extract(l *layout, cut bool) (cells []Cell, skipped []Skipped) {
	e := extractor{layout: l, cut: cut, lines: lineCounter{src: l.src}}
	for i := range l.blocks {
		e.block(&l.blocks[i])
	}
	e.candidates()
	for _, lf := range l.leaves {
		e.strayFences(lf)
		e.toolCalls(lf)
	}
	slices.SortStableFunc(e.skipped, func(a, b Skipped) int { return a.Line - b.Line })
	return e.cells, e.skipped
}

type extractor struct {
	*layout
	cut      bool
	tagged   bool // a block tagged as a cell was seen
	untagged []*codeBlock
	lines    lineCounter
	cells    []Cell
	skipped  []Skipped

	calledTool bool // a call of a tool was seen
}

func (e *extractor) skip(b *codeBlock, lang string, code bool, reason string) {
	e.skipped = append(roomy(e.skipped), Skipped{Lang: lang, Line: e.lines.at(b.start), Code: code, Reason: reason})
}

func (e *extractor) block(b *codeBlock) {
	lang := language(b.info)
	isCell := isCellTag(lang)
	switch {
	case !b.fenced:
		e.indented(b)
	case lang == "":
		e.untagged = append(e.untagged, b)
	case !isCell:
		e.skip(b, lang, isProgramming(lang), "a block tagged "+lang+" is not run: only blocks tagged "+CellTag+" are cells")
	default:
		e.tagged = true
		e.cell(b, lang)
	}
}

func (e *extractor) cell(b *codeBlock, lang string) {
	switch {
	case b.open && e.cut:
		e.skip(b, lang, true, "the reply was cut off by the token limit inside this cell, so it was not run: write a shorter cell, or split it")
	case strings.TrimSpace(b.body) == "":
		e.skip(b, lang, true, "the cell is empty")
	case !b.open && b.fence == "```" && endsInRawString(b.body):
		e.skip(b, lang, true, "the cell breaks off inside a raw string, because a line of ``` closes a cell, and it was not run. "+
			"No Go raw string can hold a backtick: write such text in \"…\" with \\n")
	default:
		e.cells = append(e.cells, Cell{Source: b.body, Lang: lang, Line: e.lines.at(b.first)})
	}
}

// candidates sorts the blocks without a tag.
func (e *extractor) candidates() {
	for _, b := range e.untagged {
		isGo := b.mayBeCell()
		switch {
		case e.tagged:
			e.skip(b, "", false, "a block without a tag is not run beside tagged ones: tag cells with "+CellTag)
		case !isGo:
			e.skip(b, "", looksLikeScript(b.body), "a block without a tag is run only if it is Go, and this is not: tag cells with "+CellTag)
		case b.open && e.cut:
			e.skip(b, "", true, "the reply was cut off by the token limit inside this block, so it was not run: write a shorter cell, or split it")
		default:
			e.cells = append(e.cells, Cell{Source: b.body, Line: e.lines.at(b.first), Untagged: true})
		}
	}
}

// indented tells of an indented block that was meant to be run.
func (e *extractor) indented(b *codeBlock) {
	first, _, _ := strings.Cut(strings.TrimLeft(b.body, "\n"), "\n")
	if _, ok := fenceTag(first); ok || b.mayBeCell() {
		e.skip(b, "", true, "a block that is indented by four spaces is not run: put ```"+CellTag+" at the start of a line")
	}
}

// strayFences tells of opening fences that are none: behind other text on a line, or inside HTML.
func (e *extractor) strayFences(lf leaf) {
	if !strings.Contains(e.str[lf.start:lf.end], "```") {
		return
	}
	for _, seg := range lf.lines {
		line := strings.TrimSpace(string(seg.Value(e.src)))
		at := strings.LastIndex(line, "```")
		if at < 0 {
			continue
		}
		where := &codeBlock{start: seg.Start}
		tag, opens := fenceTag(line[at:])
		switch {
		case lf.html && at == 0 && opens:
			e.skip(where, tag, true, "this cell stands inside HTML and was not run: leave an empty line after the tag above it")
		case at > 0 && opens && !lf.html:
			e.skip(where, tag, true, "this fence does not open a cell: ```"+CellTag+" must stand on a line of its own")
		case at > 0 && startsInlineCell(line):
			e.skip(where, CellTag, true, "a cell on one line is not run: put ```"+CellTag+", the code and ``` on lines of their own")
		}
	}
}

// fenceTag reads a line that is nothing but an opening fence with a cell's tag.
func fenceTag(line string) (tag string, ok bool) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "`")
	if len(line)-len(rest) < 3 || strings.Contains(rest, "`") {
		return "", false
	}
	tag = language(rest)
	return tag, isCellTag(tag)
}

// startsInlineCell recognises ```go code``` on one line.
func startsInlineCell(line string) bool {
	rest, ok := strings.CutPrefix(line, "```")
	if !ok {
		return false
	}
	tag, _, found := strings.Cut(rest, " ")
	return found && isCellTag(tag)
}

// language is the language of an info string: its first word, without attributes ("go {linenos}", "{.go}", "go:main.go").
func language(info string) string {
	info = strings.TrimLeft(strings.TrimSpace(info), "{. \t")
	if i := strings.IndexAny(info, " \t{}:,;="); i >= 0 {
		info = info[:i]
	}
	return info
}

// isProgramming reports whether a block of this language was probably meant to be run, rather than to show something.
func isProgramming(lang string) bool {
	switch strings.ToLower(lang) {
	case "text", "txt", "plain", "plaintext", "output", "console", "log", "json", "jsonl", "yaml", "yml", "toml", "xml",
		"html", "css", "csv", "tsv", "md", "markdown", "diff", "mermaid", "latex", "tex", "math":
		return false
	}
	return true
}

// lineCounter turns offsets into 1-based line numbers; offsets mostly ascend.
type lineCounter struct {
	src  []byte
	pos  int
	line int
}

func (c *lineCounter) at(i int) int {
	if i < c.pos {
		c.pos, c.line = 0, 0
	}
	c.line += bytes.Count(c.src[c.pos:i], []byte{'\n'})
	c.pos = i
	return c.line + 1
}
