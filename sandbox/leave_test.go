package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/sandbox"
)

// A cell that panics runs again in the exact engine, which reports the panic's text and position; recover returns
// its value.
func TestACellThatPanicsRunsAgainInTheExactEngine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, output, kind, message string }{
		{
			"uncaught", "y := llm_query(\"one\")\nfmt.Println(y, now.Unix() > 0)\nvar m map[string]int\nm[y] = 1",
			"re: one true\n", "Panic", "assignment to entry in nil map\ncell 2, line 5",
		},
		{"recovered", "y := llm_query(\"one\")\nfunc() {\n\tdefer func() { r := recover(); fmt.Println(y, r) }()\n\tpanic(now.Unix() > 0)\n}()", "re: one true\n", "", ""},
		{"kept by fmt", "type S int\nfunc (S) String() string { panic(\"none\") }\ny := llm_query(\"one\")\nfmt.Println(y, S(1))", "re: one %!v(PANIC=String method: none)\n", "", ""},
		{"in a goroutine", "y := \"\"\ndone := make(chan int)\ngo func() {\n\ty = llm_query(\"one\")\n\tfmt.Println(y)\n\tpanic(y)\n}()\n<-done", "re: one\n", "GoroutinePanic", "re: one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, sandbox.Config{})
			good(t, w.Session, "x := llm_query(\"zero\")")
			res := run(t, w.Session, "now := time.Now()\n"+c.source)
			reason := "panicked2"
			// These cells have already moved when they panic: yaegi does not run their methods or goroutines.
			if c.name == "kept by fmt" || c.name == "in a goroutine" {
				reason = "refused2"
			}
			require.Equal(t, []string{reason}, w.reasons())
			require.Equal(t, c.output, res.Output)
			require.Equal(t, res.Output, w.printed.String(), "it is shown once")
			if c.kind == "" {
				require.Nil(t, res.Error)
			} else {
				require.Equal(t, cellerror.Kind(c.kind), res.Error.Kind)
				require.Contains(t, res.Error.Message, c.message)
			}
			require.False(t, res.Moved.Differs)
			require.Equal(t, "re: zero\n", good(t, w.Session, "fmt.Println(x)").Output)
			w.once(t)
		})
	}
}

// A panic after an answer changes nothing.
func TestAPanicBehindTheAnswerDoesNotMove(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{})
	res := good(t, w.Session, "defer panic(1)\nFINAL(\"a\")")
	require.Equal(t, "a", res.Final.Answer)
	require.Empty(t, w.moves)
}

// A notebook of many cells moves before its next cell.
func TestANotebookOfManyCellsMoves(t *testing.T) {
	t.Parallel()
	for _, room := range []int{1, 3} {
		w := watch(t, sandbox.Config{Workers: pool(t, room)})
		good(t, w.Session, "sum := 0\nf := func(n int) { sum += n }\nsaid := llm_query(\"one\")")
		for n := range 100 {
			good(t, w.Session, fmt.Sprintf("f(%d)", n))
		}
		require.Equal(t, []string{"many101"}, w.reasons())
		res := good(t, w.Session, "fmt.Println(sum, said)")
		require.Equal(t, "4950 re: one\n", res.Output)
		require.Nil(t, res.Restore)
		w.once(t)
	}
}

func TestANotebookOfManyCellsThatCannotMove(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{Workers: pool(t, 3)})
	good(t, w.Session, astray)
	want := good(t, w.Session, "fmt.Println(n, said)").Output
	for range 100 {
		good(t, w.Session, "n++; n--")
	}
	require.Equal(t, want, good(t, w.Session, "fmt.Println(n, said)").Output)
	require.Empty(t, w.moves)
	w.once(t)
}

// If yaegi rejects a cell, and an earlier cell takes another way in the exact engine, the notebook moves as long as
// no name is lost, and reports what differs.
func TestARacingNotebookMovesAndSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	w := watch(t, sandbox.Config{Workers: pool(t, 3)})
	good(t, w.Session, "said, x := \"\", 1\nn := 0\nfmt.Sscanf(fmt.Sprintf(\"%p\", new(int)), \"0x%x\", &n)\nsaid = llm_query(fmt.Sprint(n))")
	res := good(t, w.Session, onlyExact)
	require.Equal(t, []string{"refused2"}, w.reasons())
	require.Equal(t, []string{"n", "said"}, res.Restore.Differing)
	require.Empty(t, res.Restore.Lost)
	require.Equal(t, "\"\" 1\n", good(t, w.Session, "fmt.Printf(\"%q %d\\n\", said, x)").Output)
	w.once(t)
}
