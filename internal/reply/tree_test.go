package reply

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	mdast "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Every fenced block of a reply is a node of goldmark's tree: the memory profile shows which code allocates it.
func TestTheBlocksOfAReplyAreNodesOfGoldmark(t *testing.T) {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	const cells = 50
	before := nodesMade()
	r := Parse(strings.Repeat("- a\n\n  ```go\n  x := 1\n  ```\n\n", cells), DefaultNames(), false)
	require.Len(t, r.Cells, cells)
	require.GreaterOrEqual(t, nodesMade()-before, cells)
}

// nodesMade returns the number of fenced blocks that goldmark has allocated.
func nodesMade() (n int) {
	runtime.GC()
	runtime.GC() // a memory profile is complete after two collections
	records := make([]runtime.MemProfileRecord, 10_000)
	size, ok := runtime.MemProfile(records, true)
	if !ok {
		records = make([]runtime.MemProfileRecord, 2*size)
		size, _ = runtime.MemProfile(records, true)
	}
	for _, r := range records[:size] {
		for frames := runtime.CallersFrames(r.Stack()); ; {
			frame, more := frames.Next()
			if frame.Function == "github.com/yuin/goldmark/ast.NewFencedCodeBlock" {
				n += int(r.AllocObjects)
				break
			}
			if !more {
				break
			}
		}
	}
	return n
}

// A block is made only from a node of the tree.
func TestBlocksAreMadeFromNodesOnly(t *testing.T) {
	made := 0
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok {
					if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "codeBlock" {
						made++
						require.Equal(t, "tree.go", name)
						require.Contains(t, []string{"fencedBlock", "indentedBlock"}, fn.Name.Name)
					}
				}
				return true
			})
		}
	}
	require.Equal(t, 2, made)
}

// The walk reaches paragraphs in the order in which they were completed, so that each gets its lines.
func TestEveryParagraphHasItsLines(t *testing.T) {
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		for name, reply := range kind(4 << 10) {
			require.Empty(t, readMarkdown(reply).paragraphs, name)
		}
	}
	l := readMarkdown("a\n===\n> b\n\n- c\n\n  > d\n\ne\nf\n")
	var texts []string
	for _, lf := range l.leaves {
		texts = append(texts, l.str[lf.start:lf.end])
	}
	require.Equal(t, []string{"a", "===\n", "b", "c", "d", "e\nf"}, texts)
}

// The layout follows the tree, whatever the text looks like.
func TestTheTreeDecides(t *testing.T) {
	const reply = "~~~go\nno fence\nx := 1\n```go\ny := 1\n"
	at := strings.Index(reply, "x := 1\n")
	node := mdast.NewFencedCodeBlock(mdast.NewTextSegment(text.NewSegment(3, 5)))
	node.SetPos(0)
	node.Lines().Append(text.NewSegment(at, at+len("x := 1\n")))
	paragraph := mdast.NewParagraph()
	paragraph.Lines().Append(text.NewSegment(at+len("x := 1\n"), len(reply)))
	doc := mdast.NewDocument()
	doc.AppendChild(doc, node)
	doc.AppendChild(doc, paragraph)

	l := &layout{str: reply, src: []byte(reply), used: len(reply)}
	l.walk(doc, textBlock{})
	require.Len(t, l.blocks, 1)
	require.Equal(t, codeBlock{
		fenced: true, fence: "~~~", info: "go", body: "x := 1\n", start: 0, first: at,
		end: len(reply) - len("y := 1\n"),
	}, l.blocks[0])
	require.Len(t, l.leaves, 1)
	require.Equal(t, len(reply), l.leaves[0].end)
}
