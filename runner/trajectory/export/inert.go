package export

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// live matches the start of an image or of HTML in Markdown. Inside a quote, viewers disagree about lines with a
// leading tab (tabbed): these may or may not be code, and fences in such lines (fences) may or may not end code.
var (
	live   = startup.Regexp(`!\[|<[A-Za-z/!?]`)
	tabbed = startup.Regexp("(?m)^[ >]*\t")
	fences = startup.Regexp("(?m)^[ >]*\t\\s*(```|~~~)")
	// returns matches carriage returns that end a line in viewers, but not in the parser used here.
	returns = startup.Regexp("\r([^\n]|$)")
)

// mostParsed bounds the bytes of a text that is parsed to preserve its code.
const mostParsed = 64 << 10

// inert makes Markdown from models and documents safe, so that a viewer loads and runs nothing: images become
// links, and HTML is shown as source. Code is unchanged if every viewer takes it for code, both alone and in a
// quote.
func inert(s string) string {
	if !hasLive(s) {
		return s
	}
	if len(s) <= mostParsed && !fences().MatchString(s) && !returns().MatchString(s) {
		// Code in s that is no longer code in out was code only because of HTML or a table next to it.
		if out, ok := besideCode(s, codeIn(parsers()[0].Parse(text.NewReader([]byte(s))))); ok && !isLive(out) {
			return out
		}
	}
	return shown(s)
}

// hasLive reports whether live matches. Most texts have none of its characters, and an expression is slow over a long
// text.
func hasLive(s string) bool {
	return strings.Contains(s, "![") || strings.Contains(s, "<") && live().MatchString(s)
}

// parsers are Markdown parsers as viewers use them: plain CommonMark, and GitHub's with tables.
func parsers() []parser.Parser {
	return []parser.Parser{goldmark.New().Parser(), goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()}
}

// shown escapes the start of an image or of HTML.
func shown(s string) string {
	return live().ReplaceAllStringFunc(s, func(found string) string {
		if found == "![" {
			return "&#33;["
		}
		return "&lt;" + found[1:]
	})
}

// besideCode applies shown to everything in s except its code. It fails if a tab outside the code may decide what
// is code.
func besideCode(s string, code []text.Segment) (string, bool) {
	var b strings.Builder
	at := 0
	for _, c := range append(code, text.NewSegment(len(s), len(s))) {
		if c.Start < at {
			continue
		}
		if tabbed().MatchString(s[at:c.Start]) {
			return "", false
		}
		b.WriteString(shown(s[at:c.Start]))
		b.WriteString(s[c.Start:c.Stop])
		at = c.Stop
	}
	return b.String(), true
}

// codeIn finds the code of a document outside lists and quotes, in order.
func codeIn(doc ast.Node) (code []text.Segment) {
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		if f, ok := block.(*ast.FencedCodeBlock); ok {
			code = append(code, f.Lines().Sliced(0, f.Lines().Len())...)
			continue
		}
		if block.Kind() != ast.KindParagraph && block.Kind() != ast.KindHeading {
			continue
		}
		_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if t, ok := n.(*ast.Text); ok && entering && t.Parent().Kind() == ast.KindCodeSpan {
				code = append(code, t.Segment)
			}
			return ast.WalkContinue, nil
		})
	}
	return code
}

// isLive reports whether a viewer finds images or HTML.
func isLive(s string) (found bool) {
	for _, p := range parsers() {
		_ = ast.Walk(p.Parse(text.NewReader([]byte(s))), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			switch n.(type) {
			case *ast.Image, *ast.RawHTML, *ast.HTMLBlock:
				found = true
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
	return found
}
