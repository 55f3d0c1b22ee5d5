package check

import (
	"bytes"
	"cmp"
	"flag"
	"go/printer"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/hoisted.txt (read it before you commit it)")

// testdata/hoisted.txt holds cells (groups are separated by "===", cells of a session by "%") and, after "---",
// the hoisted file of the last one, with its notes and errors.
func TestHoistedFiles(t *testing.T) {
	const file = "testdata/hoisted.txt"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var got []string
	for _, group := range strings.Split(string(data), "\n===\n") {
		cells, _, _ := strings.Cut(strings.TrimSuffix(group, "\n"), "\n---\n")
		s, last := newTestSession(t), ""
		for i, source := range strings.Split(cells, "\n%\n") {
			last = hoisted(s, i+1, source)
		}
		got = append(got, cells+"\n---\n"+last)
	}
	text := strings.Join(got, "\n===\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	require.Equal(t, string(data), text)
}

// hoisted returns the hoisted file of a cell, or its error, as text.
func hoisted(s *Session, number int, source string) string {
	checked, err := s.Check(number, source)
	if err != nil {
		return "error: " + err.Error()
	}
	s.Commit(checked.Change)
	var b bytes.Buffer
	checked.Unit.File.Package, checked.Unit.File.Name.NamePos = 1, 1
	if err := printer.Fprint(&b, token.NewFileSet(), checked.Unit.File.Decls); err != nil {
		return err.Error()
	}
	for _, note := range checked.Change.Notes {
		b.WriteString("\nnote: " + note)
	}
	return cmp.Or(strings.TrimSpace(b.String()), "(nothing)")
}
