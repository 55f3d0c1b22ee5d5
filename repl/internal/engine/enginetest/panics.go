package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func panicPlaces(t *testing.T, make Maker) {
	for _, c := range []struct {
		name, source, text, typ string
		line                    int
	}{
		{
			"index", "xs := []int{1, 2, 3}\nn := 5\nfmt.Println(xs[n])",
			"runtime error: index out of range [5] with length 3", "", 3,
		},
		{
			"slice", "s := \"abc\"\nn := 9\n_ = s[:n]", "runtime error: slice bounds out of range [:9] with length 3", "",
			3,
		},
		{"nil map", "var m map[string]int\n\nm[\"a\"] = 1", "assignment to entry in nil map", "", 3},
		{
			"nil pointer", "type T struct{ X int }\nvar p *T\nfmt.Println(p.X)",
			"runtime error: invalid memory address or nil pointer dereference", "", 3,
		},
		{
			"nil function", "var f func()\nf()", "runtime error: invalid memory address or nil pointer dereference", "",
			2,
		},
		{"division", "a, b := 1, 0\nfmt.Println(a / b)", "runtime error: integer divide by zero", "", 2},
		{
			"conversion", "var x any = \"s\"\n_ = x.(int)", "interface conversion: interface {} is string, not int", "",
			2,
		},
		{"closed channel", "ch := make(chan int)\nclose(ch)\nclose(ch)", "close of closed channel", "", 3},
		{"own value", "type E struct{ N int }\npanic(E{4})", "{4}", "main.E", 2},
		{"error", "panic(errors.New(\"bad\"))", "bad", "*errors.errorString", 1},
		{"text", "x := 1\nif x == 1 {\n\tpanic(\"no\")\n}", "no", "string", 3},
		{
			"in a function", "func f(n int) int {\n\treturn []int{1}[n]\n}\nf(3)",
			"runtime error: index out of range [3] with length 1", "", 2,
		},
		{
			"in a method", "type T struct{ xs []int }\nfunc (t T) at(i int) int {\n\treturn t.xs[i]\n}\nT{}.at(0)",
			"runtime error: index out of range [0] with length 0", "", 3,
		},
		{"in a literal", "f := func() {\n\tpanic(1)\n}\nf()", "1", "int", 2},
		{
			"in a deferred function", "func() {\n\tdefer func() {\n\t\tpanic(\"second\")\n\t}()\n}()", "second", "string",
			3,
		},
		{
			"in a callback", "xs := []int{2, 1}\nsort.Slice(xs, func(i, j int) bool {\n\tpanic(\"less\")\n})", "less",
			"string", 3,
		},
		{
			"in the body of a range over a function",
			"seq := func(yield func(int) bool) { yield(1) }\nfor v := range seq {\n\tpanic(v)\n}", "1", "int", 3,
		},
		{
			"in a generic function", "func first[T any](xs []T) T {\n\treturn xs[0]\n}\nfirst([]string{})",
			"runtime error: index out of range [0] with length 0", "", 2,
		},
		{"out of compiled code", "_ = strings.Repeat(\"x\", -1)", "strings: negative Repeat count", "", 1},
		{"panicked again", "defer func() {\n\tr := recover()\n\tpanic(fmt.Sprint(\"again: \", r))\n}()\npanic(\"first\")", "again: first", "string", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			nb := NewNotebook(t, make)
			out, err := nb.Run(1, c.source)
			nb.leaves(t, out, err)
			require.NoError(t, err)
			require.NotNil(t, out.Panic)
			require.Equal(t, c.text, strings.TrimSpace(fmt.Sprint(out.Panic)))
			require.Equal(t, c.line, out.Line)
			require.Positive(t, out.Column)
			require.True(t, out.Sound)
			require.False(t, out.Goroutine)
			if c.typ != "" {
				require.Equal(t, c.typ, out.PanicType)
			}
		})
	}
	t.Run("in a function of an earlier cell", func(t *testing.T) {
		nb := NewNotebook(t, make)
		nb.ok(t, 1, "func f(xs []int) int {\n\n\treturn xs[9]\n}")
		out, err := nb.Run(2, "f(nil)")
		nb.leaves(t, out, err)
		require.NoError(t, err)
		require.Equal(t, 1, out.Cell)
		require.Equal(t, 3, out.Line)
	})
}

func panicsLeaveTheSession(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, "x := 7\nvar xs []int\nxs[x] = 1\nx = 8")
	require.NoError(t, err)
	require.NotNil(t, out.Panic)
	require.True(t, out.Sound)
	require.Equal(t, "7\n", nb.ok(t, 2, "fmt.Println(x)"), "what was set before a panic stays")

	_, err = nb.Run(3, "func() {\n\tdefer fmt.Println(\"deferred\")\n\tpanic(1)\n}()")
	require.NoError(t, err)
	require.Equal(t, "deferred\n", nb.Out.Take())
	require.Equal(t, "caught no\nafter\n",
		nb.ok(t, 4, "func() {\n\tdefer func() { fmt.Println(\"caught\", recover()) }()\n\tpanic(\"no\")\n}()\nfmt.Println(\"after\")"))
}

func stacks(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, "func down(n int) int {\n\tif n == 0 {\n\t\tpanic(\"bottom\")\n\t}\n\treturn down(n-1) + 1\n}\ndown(30)")
	nb.leaves(t, out, err)
	require.NoError(t, err)
	require.Equal(t, "bottom", fmt.Sprint(out.Panic))
	require.NotEmpty(t, out.Frames)
	require.LessOrEqual(t, len(out.Frames), 10)
	require.Contains(t, out.Frames[0], "down")

	out, err = NewNotebook(t, make).Run(
		1, "func risky() { panic(1) }\nfunc safe() {\n\tdefer func() { recover() }()\n\trisky()\n}\nsafe()\nfunc last() { panic(2) }\nlast()")
	require.NoError(t, err)
	require.Equal(t, "2", fmt.Sprint(out.Panic))
	require.Contains(t, out.Frames[0], "last")
	for _, frame := range out.Frames {
		require.NotContains(t, frame, "risky", "the frames of a panic that was recovered are forgotten")
	}
}

func goroutinePanics(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, `var mu sync.Mutex
var wg sync.WaitGroup
sum := 0
for i := range 4 {
	wg.Add(1)
	go func() {
		defer wg.Done()
		if i == 1 {
			panic("boo")
		}
		mu.Lock()
		defer mu.Unlock()
		sum += i
	}()
}
wg.Wait()
fmt.Println("main goes on", sum)`)
	nb.leaves(t, out, err)
	require.NoError(t, err)
	require.True(t, out.Goroutine)
	require.True(t, out.Sound, "the others came to their end")
	require.Equal(t, "boo", fmt.Sprint(out.Panic))
	require.Equal(t, 9, out.Line)
	require.Equal(t, "main goes on 5\n", nb.Out.Take())
	require.Equal(t, "5\n", nb.ok(t, 2, "fmt.Println(sum)"))

	require.Equal(t, "caught 3\n",
		NewNotebook(t, make).ok(t, 1,
			"done := make(chan bool)\ngo func() {\n\tdefer close(done)\n\tdefer func() { fmt.Println(\"caught\", recover()) }()\n\tpanic(3)\n}()\n<-done"))
}

func goroutineWaitedFor(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, "done := make(chan bool)\ngo func() {\n\tpanic(\"in a goroutine\")\n}()\n<-done")
	nb.leaves(t, out, err)
	require.NoError(t, err)
	require.True(t, out.Goroutine)
	require.Equal(t, "in a goroutine", fmt.Sprint(out.Panic))
	if !out.Inexact {
		require.Equal(t, 3, out.Line)
	}
	require.False(t, out.Sound, "the cell waited for the goroutine and had to be ended")
}
