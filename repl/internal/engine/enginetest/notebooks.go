package enginetest

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Notebooks runs the notebooks of testdata, each in a new session. Each cell must print, and end, as in the
// expected output, or the engine's table must list the difference.
func Notebooks(t *testing.T, make Maker, name string) {
	c := newTally(t, name, "notebooks")
	files, err := fs.Glob(testdata, "testdata/notebooks/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		data, err := testdata.ReadFile(file)
		require.NoError(t, err)
		for _, s := range archived(t, file, txtar.Parse(data)) {
			v, text := tryNotebook(t, make, s)
			c.add(s.Name, v, text)
		}
	}
	c.done()
}

// tryNotebook runs cells one after the other, and does not stop at one that panics.
func tryNotebook(t *testing.T, make Maker, s Sample) (Verdict, string) {
	nb := NewNotebook(t, make)
	for i, source := range strings.Split(s.Source, "// ---\n") {
		out, err := nb.Run(i+1, source)
		switch {
		case err != nil:
			return Refused, err.Error()
		case out.Inexact:
			return Refused, fmt.Sprint(Left, out.Panic)
		case out.Cancelled || !out.Sound:
			return Different, fmt.Sprintf("cell %d does not end, or costs the session; printed %q", i+1, nb.Out)
		case out.Panic != nil:
			fmt.Fprintf(nb.Out, "panic: %v at line %d\n", out.Panic, out.Line)
		}
	}
	if printed := nb.Out.String(); printed != s.Want {
		return Different, difference(printed, s.Want)
	}
	return Equal, ""
}
