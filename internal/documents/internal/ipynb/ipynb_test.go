package ipynb_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/ipynb"
)

func convert(t *testing.T, notebook string) (formattest.Document, error) {
	t.Helper()
	return formattest.Convert(t.Context(), ipynb.Convert, "n.ipynb", []byte(notebook))
}

func TestCellsAndTheirOutputs(t *testing.T) {
	doc, err := convert(t, `{"cells": [
{"cell_type": "markdown", "source": ["# Title\n", "text"]},
{"cell_type": "code", "execution_count": 1, "source": "print(1)", "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["one\n"]}, {"output_type": "stream", "name": "stderr", "text": "two\n"},
  {"output_type": "execute_result", "data": {"text/plain": ["   a\n", "0  1"], "text/html": ["<table><tr><td>1</table>"]}},
  {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure size 640x480>"}},
  {"output_type": "display_data", "data": {"text/html": "<h1>H</h1>", "text/plain": "<IPython.core.display.HTML object>"}},
  {"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\u001b[31mE\u001b[0m: bad"]}]},
{"cell_type": "raw", "source": "as it is"},
{"cell_type": "code", "source": ["a = \"`+"```"+`\""], "outputs": []}
], "metadata": {"title": "T", "authors": [{"name": "A"}, {"name": "B"}], "kernelspec": {"display_name": "Python 3", "language": "python"}}, "nbformat": 4}`)
	require.NoError(t, err)
	require.Equal(t, "ipynb", doc.Kind)
	require.Equal(t, map[string]string{"Title": "T", "Author": "A, B", "Kernel": "Python 3", "Language": "python"},
		doc.Meta)
	require.Len(t, doc.Parts, 4)
	require.Equal(t, format.Part{Kind: format.Cell, Number: 1, Name: "markdown"}, doc.Parts[0].Part)
	require.Equal(t, "# Title\ntext\n\n", doc.Parts[0].Text[:len("# Title\ntext\n")]+"\n")
	require.Equal(t, "python", doc.Parts[1].Name)
	require.Equal(t, "```python\nprint(1)\n```\n\nOutput:\n\n```\none\ntwo\n```\n\nOutput:\n\n```\n   a\n0  1\n```\n\nOutput:\n\n(image/png) <Figure size 640x480>\n\n"+
		"Output:\n\n# H\n\nOutput:\n\n```\nE: bad\n```",
		strings.TrimSpace(strings.Split(doc.Parts[1].Text, "\n--- cell")[0]))
	require.Equal(t, "raw", doc.Parts[2].Name)
	require.Contains(t, doc.Parts[3].Text, "````python\na = \"```\"\n````")
}

func TestVersion3(t *testing.T) {
	doc, err := convert(t, `{"metadata": {"name": "x"}, "nbformat": 3, "worksheets": [{"cells": [
{"cell_type": "heading", "level": 2, "source": ["Old"]},
{"cell_type": "code", "language": "python", "input": ["1+1"], "outputs": [{"output_type": "pyout", "text": ["2"]}, {"output_type": "pyerr", "ename": "E", "evalue": "v"}]}]}]}`)
	require.NoError(t, err)
	require.Len(t, doc.Parts, 2)
	require.Contains(t, doc.Parts[0].Text, "## Old\n")
	require.Contains(t, doc.Parts[1].Text,
		"```python\n1+1\n```\n\nOutput:\n\n```\n2\n```\n\nOutput:\n\n```\nE: v\n```\n")
}

func TestDamagedNotebooksKeepWhatWasRead(t *testing.T) {
	whole := `{"cells": [{"cell_type": "markdown", "source": "first"}, {"cell_type": 7, "source": {"x": 1}}, {"cell_type": "markdown", "source": "third"}], "metadata": []}`
	doc, err := convert(t, whole)
	require.NoError(t, err)
	require.Contains(t, doc.Text, "first")
	require.Contains(t, doc.Text, "third")
	doc, err = convert(t, whole[:80])
	require.ErrorContains(t, err, "cut off")
	require.Contains(t, doc.Text, "first")
	_, err = convert(t, `{"cells": [], "nbformat": 4}`)
	require.ErrorIs(t, err, format.ErrNoText)
	_, err = convert(t, `[]`)
	require.ErrorContains(t, err, "damaged")
}

// TestNotebooksOfOtherTools: pandoc wrote the notebooks, and all words that pandoc reads are there in order.
func TestNotebooksOfOtherTools(t *testing.T) {
	for _, name := range []string{"report.ipynb", "languages.ipynb", "reach.ipynb"} {
		data, err := os.ReadFile("../../testdata/corpus/" + name)
		require.NoError(t, err)
		want, err := os.ReadFile("../../testdata/expected/" + name + ".txt")
		require.NoError(t, err)
		doc, err := convert(t, string(data))
		require.NoError(t, err)
		words, found := strings.FieldsFunc(string(want), notWord), 0
		for _, w := range words {
			if strings.Contains(doc.Text, w) {
				found++
			}
		}
		require.GreaterOrEqual(t, found*100, len(words)*97, name)
	}
}

func notWord(r rune) bool {
	return !strings.ContainsRune("0123456789", r) && (r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80)
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":["a"],"outputs":[{"output_type":"stream","text":"x"}]}],"metadata":{}}`))
	f.Add([]byte(`{"worksheets":[{"cells":[{"cell_type":"heading","source":"a"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = formattest.Convert(t.Context(), ipynb.Convert, "a.ipynb", data)
	})
}
