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

func TestASessionOfCells(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	_, err := nb.Run(1, "type P struct{ X, y int }\nfunc (p P) String() string { return fmt.Sprint(p.X+p.y) }\nps := []P{{1, 2}, {3, 4}}")
	require.NoError(t, err)
	_, err = nb.Run(2, "sort.Slice(ps, func(i, j int) bool { return ps[i].X > ps[j].X })\nfmt.Printf(\"%v %T\\n\", ps, ps)")
	require.NoError(t, err)
	require.Equal(t, "[7 3] []main.P\n", nb.Out.Take())
}
