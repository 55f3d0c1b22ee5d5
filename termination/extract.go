package termination

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// ExtractCells finds the cells of a reply. cut says that the reply ended at the token limit: a
// block that is not closed at its end is then not run.
func ExtractCells(reply string, cut bool) Extraction {
	var out Extraction
	src := []byte(reply)
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if b, ok := n.(*ast.FencedCodeBlock); ok && entering {
			out.Cells = append(out.Cells, Cell{Source: string(b.Lines().Value(src)), Lang: string(b.Language(src))})
		}
		return ast.WalkContinue, nil
	})
	return out
}
