package termination

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// cellTags are the tags of a cell, in lower case; the first is the one models are told to write.
var cellTags = [...]string{"go", "golang", "repl"}

// ExtractCells finds the cells of a reply: the fenced code blocks of its Markdown (CommonMark, as goldmark reads
// it) that are tagged go, golang or repl, in any case and with any attributes, inside lists and
// quotations too. Without a tagged block, untagged blocks that look like Go are candidates (Cell.Untagged).
// Every other block is in Skipped with the reason to tell the model.
//
// A block that is not closed ends with the reply. cut says that the reply ended at the token limit;
// such a block is then half a cell and is skipped.
func ExtractCells(reply string, cut bool) Extraction {
	text, unclosed := StripThinking(normalize(reply))
	out := extract(readMarkdown(text), cut)
	if unclosed > 0 {
		out.Skipped = append(out.Skipped, unclosedThinking(unclosed))
	}
	return out
}

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
		Reason: "everything from here on stands inside <think>, which is never closed: nothing of it was run or read",
	}
}

func extract(l *layout, cut bool) Extraction {
	e := extractor{layout: l, cut: cut, lines: lineCounter{src: l.src}}
	for _, b := range l.blocks {
		e.block(b)
	}
	e.candidates()
	for _, lf := range l.leaves {
		e.strayFences(lf)
	}
	slices.SortStableFunc(e.out.Skipped, func(a, b Skipped) int { return a.Line - b.Line })
	return e.out
}

type extractor struct {
	*layout
	cut      bool
	tagged   bool // a block tagged as a cell was seen
	untagged []codeBlock
	lines    lineCounter
	out      Extraction
}

func (e *extractor) skip(b codeBlock, lang string, code bool, format string, args ...any) {
	e.out.Skipped = append(e.out.Skipped, Skipped{
		Lang: lang, Line: e.lines.at(b.start), Code: code, Reason: fmt.Sprintf(format, args...),
	})
}

func (e *extractor) block(b codeBlock) {
	lang := language(b.info)
	isCell := slices.Contains(cellTags[:], strings.ToLower(lang))
	switch {
	case !b.fenced:
		e.indented(b)
	case lang == "":
		e.untagged = append(e.untagged, b)
	case !isCell:
		e.skip(b, lang, isProgramming(lang), "a block tagged %s is not run: only blocks tagged %s are cells", lang, cellTags[0])
	default:
		e.tagged = true
		e.cell(b, lang)
	}
}

func (e *extractor) cell(b codeBlock, lang string) {
	switch {
	case b.open && e.cut:
		e.skip(b, lang, true, "the reply was cut off by the token limit inside this cell, so it was not run: write a shorter cell, or split it")
	case strings.TrimSpace(b.body) == "":
		e.skip(b, lang, true, "the cell is empty")
	case !b.open && b.fence == "```" && endsInRawString(b.body):
		e.skip(b, lang, true, "the cell breaks off inside a raw string, because a line of ``` closes a cell, and it was not run. "+
			"No Go raw string can hold a backtick: write such text in \"…\" with \\n")
	default:
		e.out.Cells = append(e.out.Cells, Cell{Source: b.body, Lang: lang, Line: e.lines.at(b.first)})
	}
}

// candidates sorts the blocks without a tag.
func (e *extractor) candidates() {
	for _, b := range e.untagged {
		isGo := looksLikeGo(b.body)
		switch {
		case e.tagged:
			e.skip(b, "", false, "a block without a tag is not run beside tagged ones: tag cells with %s", cellTags[0])
		case !isGo:
			e.skip(b, "", false, "a block without a tag is run only if it is Go, and this is not: tag cells with %s", cellTags[0])
		case b.open && e.cut:
			e.skip(b, "", true, "the reply was cut off by the token limit inside this block, so it was not run: write a shorter cell, or split it")
		default:
			e.out.Cells = append(e.out.Cells, Cell{Source: b.body, Line: e.lines.at(b.first), Untagged: true})
		}
	}
}

// indented tells of an indented block that was meant to be run.
func (e *extractor) indented(b codeBlock) {
	first, _, _ := strings.Cut(strings.TrimLeft(b.body, "\n"), "\n")
	if _, ok := fenceTag(first); ok || looksLikeGo(b.body) {
		e.skip(b, "", true, "a block that is indented by four spaces is not run: put ```%s at the start of a line", cellTags[0])
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
		where := codeBlock{start: seg.Start}
		tag, opens := fenceTag(line[at:])
		switch {
		case lf.html && at == 0 && opens:
			e.skip(where, tag, true, "this cell stands inside HTML and was not run: leave an empty line after the tag above it")
		case at > 0 && opens && !lf.html:
			e.skip(where, tag, true, "this fence does not open a cell: ```%s must stand on a line of its own", cellTags[0])
		case at > 0 && startsInlineCell(line):
			e.skip(where, cellTags[0], true, "a cell on one line is not run: put ```%s, the code and ``` on lines of their own", cellTags[0])
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
	return tag, slices.Contains(cellTags[:], strings.ToLower(tag))
}

// startsInlineCell recognises ```go code``` on one line.
func startsInlineCell(line string) bool {
	rest, ok := strings.CutPrefix(line, "```")
	if !ok {
		return false
	}
	tag, _, found := strings.Cut(rest, " ")
	return found && slices.Contains(cellTags[:], strings.ToLower(tag))
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
