package exact

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

func TestARecursionOfAMillionCalls(t *testing.T) {
	nb := enginetest.NewNotebook(t, newEngine)
	ctx := context.Background() // without a deadline: growing a stack takes long on a busy machine
	out, err := nb.RunContext(ctx, 1,
		"func depth(n int) int { if n == 0 { return 0 }; return 1 + depth(n-1) }\nfmt.Println(depth(1_000_000))")
	require.NoError(t, err)
	require.Nil(t, out.Panic)
	require.Equal(t, "1000000\n", nb.Out.Take())
	out, err = nb.RunContext(ctx, 2, "depth(1 << 40)")
	require.NoError(t, err)
	require.ErrorContains(t, out.Panic.(error), "stack overflow")
	require.True(t, out.Sound)
	_, err = nb.Run(3, "fmt.Println(depth(10))")
	require.NoError(t, err)
	require.Equal(t, "10\n", nb.Out.Take())
}

// On a worker's small stack an endless recursion is an error of its cell, whatever calls are part of it.
func TestRecursionsThatDoNotEnd(t *testing.T) {
	limit := debug.SetMaxStack(16 << 20)
	defer debug.SetMaxStack(limit)
	for name, source := range map[string]string{
		"a function":             "func f(n int) int { return 1 + f(n+1) }\nf(0)",
		"two functions":          "func f(n int) int { return g(n) + 1 }\nfunc g(n int) int { return f(n) + 1 }\nf(0)",
		"a closure":              "var f func(s string, n int) (string, error)\nf = func(s string, n int) (string, error) { return f(s, n+1) }\nf(\"\", 0)",
		"a method":               "type T struct{ n int }\nfunc (t *T) m() int { return t.m() + 1 }\n(&T{}).m()",
		"a method of interfaces": "type I interface{ m(I) int }\ntype T [8]int\nfunc (t T) m(i I) int { return i.m(t) + 1 }\nT{}.m(T{})",
		"deferred calls":         "func f(n int) { defer f(n + 1) }\nf(0)",
		"deferring functions":    "func f(n int) (r int) { defer func() { r++ }(); return f(n + 1) }\nf(0)",
		"iterators":              "func f(n int) func(func(int) bool) { return func(yield func(int) bool) { for x := range f(n + 1) { if !yield(x) { return } } } }\nfor range f(0) { }",
		"a generic function":     "func f[T any](x T, n int) int { return f(x, n+1) + 1 }\nf(\"x\", 0)",
		"a goroutine":            "func f(n int) int { return 1 + f(n+1) }\nvar wg sync.WaitGroup\nwg.Go(func() { f(0) })\nwg.Wait()",
		"a text":                 "type T struct{ n int }\nfunc (t *T) String() string { return fmt.Sprint(\"x\", t) }\nfmt.Println(len(fmt.Sprint(&T{})))",
		"a callback":             "func f(n int) int { xs := []int{2, 1}; sort.Slice(xs, func(i, j int) bool { return f(n+1) > 0 }); return n }\nf(0)",
		"a map of callbacks":     "func f(s string) string { return strings.Map(func(r rune) rune { return rune(len(f(s))) }, s) }\nf(\"ab\")",
		"JSON":                   "type T struct{ n int }\nfunc (t *T) MarshalJSON() ([]byte, error) { return json.Marshal([]any{t}) }\nb, err := json.Marshal(&T{})\nfmt.Println(b, err)",
	} {
		t.Run(name, func(t *testing.T) {
			nb := enginetest.NewNotebook(t, newEngine)
			_, err := nb.RunContext(context.Background(), 1, "kept := 5")
			require.NoError(t, err)
			out, err := nb.RunContext(context.Background(), 2, source)
			require.NoError(t, err)
			require.NotNil(t, out.Panic)
			require.ErrorContains(t, out.Panic.(error), "stack overflow")
			require.True(t, out.Sound)
			require.Empty(t, nb.Out.Take())
			_, err = nb.RunContext(context.Background(), 3, "fmt.Println(kept)")
			require.NoError(t, err)
			require.Equal(t, "5\n", nb.Out.Take())
		})
	}
}
