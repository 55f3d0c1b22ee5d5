package exact

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// Functions that outlive their cell still work: literals in values, compiled or not, named functions, and panics
// in either.
func TestWhatEndedCellsLeave(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	run := func(n int, source, want string) {
		out, err := nb.Run(n, source)
		require.NoError(t, err)
		require.Nil(t, out.Panic)
		require.Equal(t, want, nb.Out.Take(), source)
	}
	run(1, `type P struct{ x int }
never := func(n int) func() int { return func() int { n++; return n } }
plain := func(a, b int) int { return a / b }
plain(1, 1)
typed := func(v any) string { if p, ok := v.(P); ok { return fmt.Sprint("P", p.x) }; return "none" }
typed(P{1})
nest := func() func(P) func() string { return func(p P) func() string { return func() string { return typed(p) } } }()
list := []func() int{}
for i := range 3 { list = append(list, func() int { return i * i }) }
func top(f func(int, int) int) func() int { return func() int { return f(6, 3) } }
less := func(s []P) func(i, j int) bool { return func(i, j int) bool { return s[i].x > s[j].x } }
pull, stop2 := iter.Pull(func(yield func(func() string) bool) { for i := range 5 { if !yield(func() string { return fmt.Sprint("y", i) }) { return } } })
f0, _ := pull()`, "")
	run(2, "fmt.Println(f0(), plain(7, 2), typed(P{3}), nest(P{4})(), list[2]())", "y0 3 P3 P4 4\n")
	run(3, "c := never(5)\nc()\nfmt.Println(c(), top(plain)())\nf1, _ := pull()\nfmt.Println(f1())", "7 2\ny1\n")
	run(4, "func (p P) String() string { return fmt.Sprint(\"p\", p.x) }", "")
	run(5, "s := []P{{1}, {3}, {2}}\nsort.Slice(s, less(s))\nfmt.Println(s, typed(P{8}), nest(P{9})(), c(), list[1]())\nf2, _ := pull()\nfmt.Println(f2())", "[p3 p2 p1] P8 P9 8 1\ny2\n")
	out, err := nb.Run(6, "x := 0\nplain(1, x)")
	require.NoError(t, err)
	require.Equal(t, 1, out.Cell)
	require.Equal(t, 3, out.Line)
	require.Len(t, out.Frames, 1)
	run(7, "fmt.Println(plain(9, 3), less(s)(0, 1), top(plain)())\nstop2()", "3 true 2\n")
}

// A session keeps little of each of its cells: neither their syntax nor their instructions.
func TestManyCellsLeaveLittle(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	for n := range 40 {
		out, err := nb.Run(n+1, fmt.Sprintf(
			"xs := []int{3, 1, 2}\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\nf%d := func(x int) int { return x + xs[0] }\nfmt.Println(f%d(1))", n, n))
		require.NoError(t, err)
		require.Nil(t, out.Panic)
	}
	e := nb.Engine.(*Engine)
	require.Less(t, len(e.codes), 10)
	require.Less(t, len(e.named), 10)
	require.Less(t, len(e.loose), 20)
}
