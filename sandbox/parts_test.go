package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

func TestCellsSeeThePartsOfDocuments(t *testing.T) {
	t.Parallel()
	const all = "--- page 1 ---\nfirst\n--- page 2 ---\nsecond|plain"
	pages := outline.List{
		{Kind: "page", Number: 1, Offset: 15, Size: 6},
		{Kind: "page", Number: 2, Offset: 36, Size: 6},
	}
	for _, e := range []repl.Engine{repl.Yaegi, repl.Exact} {
		c := text(t, all, sandbox.DocRange{
			Name: "a.pdf", Size: 42, Kind: "pdf", Parts: pages,
			Notes: []string{"a font", "a scan"},
		}, sandbox.DocRange{Name: "b", Offset: 43, Size: 5})
		s := start(t, sandbox.Config{Context: c, Engine: e})
		const cell = `d := docs[0]
for _, p := range d.Parts {
	fmt.Printf("%s %d %q at %d of %d in a %s, %t\n", p.Kind, p.Number, p.Text, p.Offset, d.Pages, d.Kind, d.Text[p.Offset:p.Offset+len(p.Text)] == p.Text)
}
fmt.Println(docs[1].Kind, docs[1].Pages, docs[1].Parts == nil, d.Notes, len(docs[1].Notes))`
		const want = "page 1 \"first\\n\" at 15 of 2 in a pdf, true\npage 2 \"second\" at 36 of 2 in a pdf, true\ntext 0 true [a font a scan] 0\n"
		require.Equal(t, want, good(t, s, cell).Output, e)
		good(t, s, "last := docs[0].Parts[1]")
		kill(t, s)
		require.Equal(t, "second\n", good(t, s, "fmt.Println(last.Text)").Output, "also after a replay")
		require.Equal(t, want, good(t, s, cell).Output, e)
	}
	outside := text(t, all, sandbox.DocRange{Name: "a", Size: 3, Parts: pages})
	_, err := sandbox.New(t.Context(), sandbox.Config{Context: outside})
	require.ErrorContains(t, err, `"a"`)
}

// BenchmarkManyParts starts a notebook over 10 000 documents of 20 pages each.
func BenchmarkManyParts(b *testing.B) {
	page := make([]byte, 20)
	var docs []sandbox.DocRange
	var pages outline.List
	for i := range 20 {
		pages = append(pages, outline.Part{
			Kind: "page", Number: i + 1, Offset: int64(i * len(page)), Size: int64(len(page)),
		})
	}
	size := 20 * len(page)
	for i := range 10_000 {
		docs = append(docs, sandbox.DocRange{
			Name:   fmt.Sprintf("letters/2024/document-%d.pdf", i),
			Offset: int64(i * size), Size: int64(size), Kind: "pdf", Parts: pages,
		})
	}
	c := text(b, string(make([]byte, 10_000*size)), docs...)
	for b.Loop() {
		s := start(b, sandbox.Config{Context: c})
		require.NoError(b, s.Close())
	}
}
