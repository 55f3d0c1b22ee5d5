package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// markdownMost is the maximum length in bytes of a text to render as Markdown. Longer texts are only wrapped.
const markdownMost = 256 << 10

// markdown renders one text: goldmark parses it; lipgloss paints and wraps it and draws its tables. Libraries that
// do both compile hundreds of grammars at the start of every process, including workers.
type markdown struct {
	source     []byte
	colour     bool
	underlined []string
}

// Markdown renders text to a width in cells, with some words underlined. Without colours, the Markdown syntax stays
// in the text, so that nothing is lost.
func Markdown(source string, width int, colour bool, underlined ...string) string {
	if len(source) > markdownMost {
		return markdown{}.wrap(source, width)
	}
	m := markdown{source: []byte(source), colour: colour, underlined: underlined}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(
		text.NewReader(m.source))
	return m.blocks(doc, width, "\n\n")
}

// blocks renders the children of n below each other.
func (m markdown) blocks(n ast.Node, width int, between string) string {
	var parts []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if part := m.block(c, max(width, widthLeast)); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

func (m markdown) block(n ast.Node, width int) string {
	switch n := n.(type) {
	case *ast.Heading:
		style := lipgloss.NewStyle().Bold(true)
		return m.wrap(m.paint(style, strings.Repeat("#", n.Level)+" ")+m.inline(n, style), width)
	case *ast.Paragraph, *ast.TextBlock:
		return m.wrap(m.inline(n, lipgloss.NewStyle()), width)
	case *ast.List:
		return m.list(n, width)
	case *ast.Blockquote:
		bar := m.paint(Faint, "│ ")
		return bar + strings.ReplaceAll(m.blocks(n, width-2, "\n\n"), "\n", "\n"+bar)
	case *ast.FencedCodeBlock:
		lang := strings.ToLower(string(n.Language(m.source)))
		return m.code(m.lines(n), width, lang == "go" || lang == "golang" || lang == "repl")
	case *ast.CodeBlock:
		return m.code(m.lines(n), width, false)
	case *ast.ThematicBreak:
		return m.paint(Faint, strings.Repeat("─", min(width, 40)))
	case *east.Table:
		return m.table(n, width)
	default:
		return m.wrap(strings.TrimRight(m.lines(n), "\n"), width)
	}
}

func (m markdown) list(n *ast.List, width int) string {
	between := "\n"
	if !n.IsTight {
		between = "\n\n"
	}
	var items []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		items = append(items, Indent(mark, m.blocks(c, width-len(mark), between)))
	}
	return strings.Join(items, between)
}

// code renders a code block, indented, with long lines broken.
func (m markdown) code(source string, width int, isGo bool) string {
	source = strings.ReplaceAll(strings.TrimRight(source, "\n"), "\t", "    ")
	switch {
	case isGo && m.colour:
		source = highlight(source)
	case len(m.underlined) > 0:
		lines := strings.Split(source, "\n")
		for i, line := range lines {
			lines[i] = m.underline(lipgloss.NewStyle(), line)
		}
		source = strings.Join(lines, "\n")
	}
	columns := max(width-4, widthLeast)
	source = ansi.Hardwrap(source, columns, true)
	if tooWide(source, columns) {
		source = ansi.HardwrapWc(source, columns, true)
	}
	return Indent("  ", source)
}

func (m markdown) table(n *east.Table, columns int) string {
	t := table.New().Border(lipgloss.NormalBorder()).BorderStyle(m.style(Faint))
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, m.inline(cell, lipgloss.NewStyle()))
		}
		if _, head := row.(*east.TableHeader); head {
			t.Headers(cells...)
		} else {
			t.Row(cells...)
		}
	}
	drawn := t.Render()
	// Terminals and the library disagree about widths, and the library cuts off what it does not fold.
	for room := columns; (tooWide(drawn, columns) || cutTable(drawn)) && room > columns/2; room-- {
		drawn = t.Width(room).Render()
	}
	return drawn
}

// cutTable reports whether a drawn table lacks its right border.
func cutTable(drawn string) bool {
	top, _, _ := strings.Cut(drawn, "\n")
	return !strings.HasSuffix(ansi.Strip(top), lipgloss.NormalBorder().TopRight)
}

// inline renders the text within a block; style is the surrounding style.
func (m markdown) inline(n ast.Node, style lipgloss.Style) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		whole := ""
		for t := asText(c); t != nil; t = asText(c) { // brackets divide a text
			whole += string(t.Value(m.source))
			if t.HardLineBreak() || t.SoftLineBreak() || asText(c.NextSibling()) == nil {
				break
			}
			c = c.NextSibling()
		}
		if whole != "" {
			out.WriteString(m.underline(style, whole))
		}
		out.WriteString(m.span(c, style))
	}
	return out.String()
}

func asText(n ast.Node) *ast.Text {
	t, _ := n.(*ast.Text)
	return t
}

func (m markdown) span(n ast.Node, style lipgloss.Style) string {
	switch n := n.(type) {
	case *ast.Text: // inline has written it
		if n.HardLineBreak() || n.SoftLineBreak() { // answers often consist of lines that a cell printed
			return "\n"
		}
		return ""
	case *ast.String:
		return m.paint(style, string(n.Value))
	case *ast.CodeSpan:
		return m.marked("`", m.inline(n, style.Foreground(lipgloss.Cyan)))
	case *ast.Emphasis:
		if n.Level == 1 {
			return m.marked("*", m.inline(n, style.Italic(true)))
		}
		return m.marked("**", m.inline(n, style.Bold(true)))
	case *east.Strikethrough:
		return m.marked("~~", m.inline(n, style.Strikethrough(true)))
	case *ast.Link:
		return m.inline(n, style.Underline(true)) + m.paint(style, " ("+string(n.Destination)+")")
	case *ast.Image:
		return m.inline(n, style) + m.paint(style, " ("+string(n.Destination)+")")
	case *ast.AutoLink:
		return m.paint(style.Underline(true), string(n.URL(m.source)))
	case *ast.RawHTML:
		return m.paint(style, string(n.Segments.Value(m.source)))
	default:
		return m.inline(n, style)
	}
}

// underline paints text, with the chosen words underlined.
func (m markdown) underline(style lipgloss.Style, text string) string {
	if !m.colour || len(m.underlined) == 0 {
		return m.paint(style, text)
	}
	var out strings.Builder
	for text != "" {
		at, n := firstWords(text, m.underlined)
		if at < 0 {
			break
		}
		if at > 0 {
			out.WriteString(m.paint(style, text[:at]))
		}
		out.WriteString(m.paint(style.Underline(true), text[at:at+n]))
		text = text[at+n:]
	}
	if text != "" {
		out.WriteString(m.paint(style, text))
	}
	return out.String()
}

// Underlined returns text with some words underlined if there are colours. Print it with Styled.
func (o *Output) Underlined(text string, words ...string) string {
	if !o.terminal || len(text) > markdownMost {
		return text
	}
	return markdown{colour: o.colour, underlined: words}.underline(lipgloss.NewStyle(), text)
}

// firstWords returns the position and length of the first of some words that occurs in a text as a whole word; -1
// if there is none.
func firstWords(text string, words []string) (at, n int) {
	at = -1
	for _, w := range words {
		for from := 0; w != ""; {
			i := strings.Index(text[from:], w)
			if i < 0 {
				break
			}
			i += from
			if end := i + len(w); whole(text[:i], w, text[end:]) {
				if at < 0 || i < at || i == at && len(w) > n {
					at, n = i, len(w)
				}
				break
			}
			from = i + 1
		}
	}
	return at, n
}

// whole reports whether a word between two texts is not part of a longer word or number.
func whole(before, word, behind string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	left, n := utf8.DecodeLastRuneInString(before)
	right, m := utf8.DecodeRuneInString(behind)
	if inWord(first) && inWord(left) || inWord(last) && inWord(right) {
		return false
	}
	far, _ := utf8.DecodeLastRuneInString(before[:len(before)-n])
	beyond, _ := utf8.DecodeRuneInString(behind[m:])
	number := func(r, mark, other rune) bool {
		return unicode.IsDigit(r) && (mark == '.' || mark == ',') && unicode.IsDigit(other)
	}
	return !number(first, left, far) && !number(last, right, beyond)
}

// inWord reports whether a rune is part of a word that spaces or marks delimit: scripts without spaces, and Korean with
// its particles, have no such words.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana,
		unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// marked keeps the source's marks around text if there are no colours.
func (m markdown) marked(mark, text string) string {
	if m.colour {
		return text
	}
	return mark + text + mark
}

func (m markdown) lines(n ast.Node) string {
	var out strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		out.Write(line.Value(m.source))
	}
	return out.String()
}

func (m markdown) wrap(text string, width int) string {
	return solid(text, func(text string) string { return lipgloss.Wrap(text, width, "") })
}

func (m markdown) style(s lipgloss.Style) lipgloss.Style {
	if m.colour {
		return s
	}
	return lipgloss.NewStyle()
}

func (m markdown) paint(s lipgloss.Style, text string) string {
	if text == "" {
		return ""
	}
	return m.style(s).Render(text)
}

// Indent puts prefix before the first line of text and blanks of its width before the others.
func Indent(prefix, text string) string {
	pad := strings.Repeat(" ", lipgloss.Width(prefix))
	return prefix + strings.ReplaceAll(text, "\n", "\n"+pad)
}
