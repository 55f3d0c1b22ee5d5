package exact

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// Code that runs as one closure, shares a slot or passes values in registers behaves as in the compiled program,
// and so do the language's panics. The expected output is beside the programs:
//
//	cd testdata/fast && go run . > output.txt
func TestProgramsComeOutAsCompiled(t *testing.T) {
	for _, name := range []string{
		"fast", "loops", "panics", "recover", "generics", "iterators", "format", "marshalling", "language",
		"concurrency", "recursive_types", "packages",
		"declarations", "mixed", "templates", "defers", "blank", "locals", "order",
	} {
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile("testdata/" + name + "/main.go")
			require.NoError(t, err)
			want, err := os.ReadFile("testdata/" + name + "/output.txt")
			require.NoError(t, err)
			r := enginetest.RunProgram(newEngine, string(source), time.Minute)
			require.NoError(t, r.Err)
			require.Nil(t, r.Refused)
			require.Nil(t, r.Outcome.Panic)
			require.Equal(t, string(want), r.Out)
		})
	}
}

// A panic in a part of an instruction is reported at the position of that part.
func TestPartsFailWhereTheyStand(t *testing.T) {
	for name, c := range map[string]struct {
		source       string
		line, column int
	}{
		"the row":     {"t := [][]int{{1}}\ni := 0\ni++\nfmt.Println(t[i][0] +\n\tt[0][0])", 4, 14},
		"the column":  {"t := [][]int{{1}}\ni := 1\nfmt.Println(t[0][0] +\n\tt[0][i])", 4, 6},
		"the pointer": {"type T struct { a int; l []int }\nvar p *T\nfunc f() int { return p.l[2] }\nf()", 3, 25},
		"a write":     {"l := []int{1}\ni := 2\nl[0] = 2\nl[i] = 3", 4, 2},
	} {
		t.Run(name, func(t *testing.T) {
			nb := enginetest.NewNotebook(t, newEngine)
			out, err := nb.Run(1, c.source)
			require.NoError(t, err)
			require.NotNil(t, out.Panic)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{out.Line, out.Column})
		})
	}
}
