package yaegi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

func newEngine(host engine.Host) (engine.Engine, error) { return New(host) }

func TestMain(m *testing.M) { enginetest.Main(m, newEngine) }

func TestEngine(t *testing.T) { enginetest.Contract(t, newEngine) }

func TestCells(t *testing.T) { enginetest.Cells(t, newEngine, "yaegi") }

func TestNotebooks(t *testing.T) { enginetest.Notebooks(t, newEngine, "yaegi") }

func TestGoroot(t *testing.T) { enginetest.Goroot(t, "yaegi") }

func TestRandomPrograms(t *testing.T) { enginetest.RandomPlain(t, "yaegi") }

// notebook is a session with this engine.
type notebook struct {
	*enginetest.Notebook
	front  *check.Session
	engine engine.Engine
	out    *enginetest.Output
}

func newNotebook(t testing.TB) *notebook {
	nb := enginetest.NewNotebook(t, newEngine)
	return &notebook{nb, nb.Front, nb.Engine, nb.Out}
}

func (nb *notebook) run(number int, source string) (engine.Outcome, error) {
	return nb.Run(number, source)
}

// Code that the interpreter would run wrongly is refused, with advice, and the session continues.
func TestRefusalsSayWhatToWriteInstead(t *testing.T) {
	for _, source := range []string{
		"type A struct{ B []B }\ntype B struct{ A []A }\nfmt.Println(A{})",
		"type L []L\nfmt.Println(L{})",
		"var p atomic.Pointer[int]\nfmt.Println(p.Load())",
		"type I interface{ M() }\nvar x struct{ I I }\njson.Unmarshal(nil, &x)",
		"xs := []int{1, 2}\nfmt.Println([2]int(xs))",
		"next, stop := iter.Pull(slices.Values([]int{1}))\nstop()\nnext()",
	} {
		nb := newNotebook(t)
		_, err := nb.run(1, source)
		var refused *engine.RefusedError
		require.ErrorAs(t, err, &refused, source)
		require.NotEmpty(t, refused.Construct)
		require.NotEmpty(t, refused.Why)
		require.NotEmpty(t, refused.Instead)
		out, err := nb.run(2, "fmt.Println(\"still here\")")
		require.NoError(t, err)
		require.Nil(t, out.Panic)
		require.Equal(t, "still here\n", nb.out.String())
	}
}

func TestNothingReachesTheDisk(t *testing.T) {
	e, err := New(engine.Host{Stdout: &enginetest.Output{}})
	require.NoError(t, err)
	for _, path := range []string{
		"./engine", "os/exec", "syscall", "unsafe", "reflect", "runtime", "plugin", "net",
		"github.com/traefik/yaegi/interp",
	} {
		_, err := e.interp.Eval("import \"" + path + "\"")
		require.Error(t, err, path)
	}
}
