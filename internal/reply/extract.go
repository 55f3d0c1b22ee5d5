package reply

import (
	"bytes"
	"slices"
	"strings"
)

// normalize converts a text to Unix line ends.
func normalize(s string) string {
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// unread returns a skipped block for the part of a reply beyond the bounds.
func unread(l *layout) SkippedBlock {
	lines := lineCounter{src: l.src}
	return SkippedBlock{Line: lines.at(len(l.src)), Code: true, Reason: l.unread}
}

func unclosedThinking(line int) SkippedBlock {
	return SkippedBlock{
		Line:   line,
		Reason: "everything from here on stands inside a tag for thinking, which is never closed: nothing of it was run or read",
	}
}

// extract finds the cells of a reply and the blocks that are not run: every block is one or the other, and none is
// dropped silently.
func extract(l *layout, cut bool) (cells []Cell, skipped []SkippedBlock) {
	e := extractor{layout: l, cut: cut, lines: lineCounter{src: l.src}}
	for i := range l.blocks {
		e.block(&l.blocks[i])
	}
	e.candidates()
	for _, lf := range l.leaves {
		e.strayFences(lf)
		e.toolCalls(lf)
	}
	slices.SortStableFunc(e.skipped, func(a, b SkippedBlock) int { return a.Line - b.Line })
	return e.cells, e.skipped
}

type extractor struct {
	*layout
	cut      bool
	tagged   bool // there was a block tagged as a cell
	untagged []*codeBlock
	lines    lineCounter
	cells    []Cell
	skipped  []SkippedBlock

	calledTool bool // there was a tool call
}

func (e *extractor) skip(at int, lang string, code bool, reason string) {
	e.skipped = append(e.skipped, SkippedBlock{Lang: lang, Line: e.lines.at(at), Code: code, Reason: reason})
}

func (e *extractor) block(b *codeBlock) {
	if !b.fenced {
		e.indented(b)
		return
	}
	lang := language(b.info)
	if lang == "" {
		e.untagged = append(e.untagged, b)
		return
	}
	if !isCellTag(lang) {
		reason := "a block tagged " + lang + " is not run: only blocks tagged " + CellTag + " are cells"
		if isProgramming(lang) {
			reason = "a block tagged " + lang + " is not run: " + inGo
		}
		e.skip(b.start, lang, isProgramming(lang), reason)
		return
	}
	e.tagged = true
	e.cell(b, lang)
}

func (e *extractor) cell(b *codeBlock, lang string) {
	if reason := e.unfit(b, lang); reason != "" {
		e.skip(b.start, lang, true, reason)
		return
	}
	if e.cells == nil {
		e.cells = make([]Cell, 0, len(e.blocks))
	}
	e.cells = append(e.cells, Cell{Source: b.body, Lang: lang, Line: e.lines.at(b.first), Untagged: lang == ""})
}

// unfit explains why a block that is meant as a cell cannot be one; empty if it can.
func (e *extractor) unfit(b *codeBlock, lang string) string {
	what := "cell"
	if lang == "" {
		what = "block"
	}
	if b.open && e.unread != "" {
		return "this " + what + " goes on beyond what is read of the reply, so it was not run"
	}
	if b.open && e.cut {
		return "the reply was cut off inside this " + what + ", so it was not run: write a shorter cell, or split it"
	}
	if strings.TrimSpace(b.body) == "" {
		return "the cell is empty"
	}
	if !b.open && b.fence == "```" && endsInRawString(b.body) {
		return "the cell breaks off inside a raw string, because a line of ``` closes a cell, and it was not run. " +
			"No Go raw string can hold a backtick: write such text in \"…\" with \\n"
	}
	return ""
}

// candidates handles the blocks without a tag.
func (e *extractor) candidates() {
	for _, b := range e.untagged {
		switch {
		case e.tagged:
			e.skip(b.start, "", false, "a block without a tag is not run beside tagged ones: tag cells with "+CellTag)
		case !b.mayBeCell() && looksLikePython(b.body):
			e.skip(b.start, "", true, "this block is Python, which is not run: "+inGo)
		case !b.mayBeCell():
			e.skip(b.start, "", looksLikeScript(b.body),
				"a block without a tag is run only if it is Go, and this is not: tag cells with "+CellTag)
		default:
			e.cell(b, "")
		}
	}
}

// indented reports an indented block that was meant to be run.
func (e *extractor) indented(b *codeBlock) {
	if opensCell(b.body) || b.mayBeCell() {
		e.skip(b.start, "", true,
			"a block that is indented by four spaces is not run: put ```"+CellTag+" at the start of a line")
	}
}

// opensCell reports whether a line of an indented block is the opening fence of a cell.
func opensCell(body string) bool {
	for line := range strings.Lines(body) {
		if _, ok := fenceTag(line); ok {
			return true
		}
	}
	return false
}

// strayFences reports opening fences that Markdown does not accept: after other text on a line, indented below it,
// or inside HTML.
func (e *extractor) strayFences(lf textBlock) {
	text := e.str[lf.start:lf.end]
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return
	}
	for _, seg := range lf.lines {
		line := strings.TrimSpace(string(seg.Value(e.src)))
		at := lastFence(line)
		if at == -1 {
			continue
		}
		tag, opens := fenceTag(line[at:])
		if !opens {
			if at > 0 && startsInlineCell(line) {
				e.skip(seg.Start, CellTag, true,
					"a cell on one line is not run: put ```"+CellTag+", the code and ``` on lines of their own")
			}
			continue
		}
		reason := "this fence does not open a cell: ```" + CellTag + " must stand on a line of its own"
		if at == 0 {
			reason = "this fence does not open a cell: put ```" + CellTag +
				" at the start of a line, below an empty one"
		}
		if lf.html {
			reason = "this cell stands inside HTML and was not run: leave an empty line after the tag above it"
		}
		e.skip(seg.Start, tag, true, reason)
	}
}

// lastFence returns the offset of the last fence of a line, or -1.
func lastFence(line string) int {
	at := max(strings.LastIndex(line, "```"), strings.LastIndex(line, "~~~"))
	for at > 0 && line[at-1] == line[at] {
		at--
	}
	return at
}

// fenceTag reads a line that is only an opening fence with a cell's tag.
func fenceTag(line string) (tag string, ok bool) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "`")
	if rest == line {
		rest = strings.TrimLeft(line, "~")
	}
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

// language returns the language of an info string: its first word, without attributes ("go {linenos}", "{.go}",
// "go:main.go").
func language(info string) string {
	info = strings.TrimLeft(strings.TrimSpace(info), "{. \t")
	if i := strings.IndexAny(info, " \t{}:,;="); i != -1 {
		info = info[:i]
	}
	return info
}

// isProgramming reports whether a block of this language was probably meant to be run, rather than to show something.
func isProgramming(lang string) bool {
	if isOutput(lang) || isJSON(lang) {
		return false
	}
	switch strings.ToLower(lang) {
	case "text", "txt", "plain", "plaintext", "console", "log", "jsonl", "yaml", "yml", "toml", "xml",
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
