package exact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

func newEngine(host engine.Host) (engine.Engine, error) { return New(host) }

func TestMain(m *testing.M) { enginetest.Main(m, newEngine) }

func TestEngine(t *testing.T) { enginetest.Contract(t, newEngine) }

func TestCells(t *testing.T) { enginetest.Cells(t, newEngine, "exact") }

func TestNotebooks(t *testing.T) { enginetest.Notebooks(t, newEngine, "exact") }

func TestGoroot(t *testing.T) { enginetest.Goroot(t, "exact") }

func TestRandomPrograms(t *testing.T) { enginetest.Random(t, "exact") }

func TestRandomProgramsInWatchedFrames(t *testing.T) { enginetest.Watched(t, "exact", "framecheck") }

func TestASessionOfCells(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	_, err := nb.Run(1, "type P struct{ X, y int }\nfunc (p P) String() string { return fmt.Sprint(p.X+p.y) }\nps := []P{{1, 2}, {3, 4}}")
	require.NoError(t, err)
	_, err = nb.Run(2, "sort.Slice(ps, func(i, j int) bool { return ps[i].X > ps[j].X })\nfmt.Printf(\"%v %T\\n\", ps, ps)")
	require.NoError(t, err)
	require.Equal(t, "[7 3] []main.P\n", nb.Out.Take())
}

func TestTypesThatCannotBeMade(t *testing.T) {
	for name, source := range map[string]string{
		"a size that wraps around":  "type T struct{ a, b, c, d [1 << 62]byte; e int }\nt := new(T)\nt.b[5] = 1\nt.e = 7",
		"an array that does":        "t := new([1 << 62]int64)\nt[5] = 1",
		"in a generic function":     "func f[T any]() { p := new(struct{ a, b, c, d T; e int }); p.e = 1 }\nf[[1 << 62]byte]()",
		"locals":                    "func f() { var t struct{ a, b, c, d [1 << 62]byte; e int }; p := &t; p.e = 1 }\nf()",
		"a channel":                 "func f() { type Q struct{ n *Q; c chan [1 << 20]int }; var q any = &Q{}; fmt.Println(q) }\nf()",
		"a struct that leads to it": "func f() { type Q struct{ m map[string]Q; n *struct{ q *Q; a, b, c, d [1 << 62]byte } }; var q any = Q{}; fmt.Println(q) }\nf()",
	} {
		t.Run(name, func(t *testing.T) {
			nb := enginetest.NewNotebook(t, newEngine)
			out, err := nb.Run(1, source)
			require.True(t, err != nil || out.Panic != nil, "the cell is refused or panics")
			require.Empty(t, nb.Out.Take())
			_, err = nb.Run(2, "type X struct{ a int; m map[string]*X; s fmt.Stringer }\n"+
				"func (x *X) String() string { return fmt.Sprint(\"X\", x.a, len(x.m)) }\n"+
				"x := &X{a: 3}\nx.m, x.s = map[string]*X{\"a\": x}, x\nfmt.Println(x, x.s, x.m)")
			require.NoError(t, err)
			require.Equal(t, "X3 1 X3 1 map[a:X3 1]\n", nb.Out.Take(), "later types are whole")
		})
	}
}
