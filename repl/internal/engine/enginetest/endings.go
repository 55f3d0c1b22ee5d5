package enginetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// signals tests builtins that end the calling goroutine, wherever they are called.
func signals(t *testing.T, make Maker) {
	for name, source := range map[string]string{
		"at the top":            "stop(\"x\")\nfmt.Println(\"not here\")",
		"in a function":         "func f() int { stop(\"x\") }\nfmt.Println(f())",
		"in a loop":             "for i := range 3 { stop(\"x\"); fmt.Println(i) }",
		"in a closure":          "f := func() { stop(\"x\") }\nf()\nfmt.Println(\"not here\")",
		"in a method":           "type T int\nfunc (t T) m() { stop(\"x\") }\nT(1).m()\nfmt.Println(\"not here\")",
		"in a callback":         "xs := []int{2, 1}\nsort.Slice(xs, func(i, j int) bool { stop(\"x\"); return true })\nfmt.Println(\"not here\")",
		"behind a recover":      "func() {\n\tdefer func() { if r := recover(); r != nil { fmt.Println(\"saw\", r) } }()\n\tstop(\"x\")\n}()\nfmt.Println(\"not here\")",
		"in a deferred call":    "func() {\n\tdefer stop(\"x\")\n}()\nfmt.Println(\"not here\")",
		"in a value of its own": "end := stop\nend(\"x\")\nfmt.Println(\"not here\")",
		"again and again":       "for {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\tstop(\"x\")\n\t}()\n}",
		"on a deep stack":       "func down(n int) {\n\tif n == 0 {\n\t\tstop(\"x\")\n\t}\n\tdown(n - 1)\n}\ndown(4000)",
		"where fmt would catch": "type S struct{}\nfunc (S) String() string { stop(\"x\"); return \"text\" }\n_ = fmt.Sprint(S{})\nfmt.Println(\"not here\")",
		"in a sync.Once":        "var once sync.Once\nonce.Do(func() { stop(\"x\") })\nfmt.Println(\"not here\")",
		"in a range function":   "for v := range func(yield func(int) bool) { yield(1) } { stop(\"x\"); fmt.Println(v) }",
	} {
		t.Run(name, func(t *testing.T) {
			nb := NewNotebook(t, make)
			out, err := nb.Run(1, source)
			nb.leaves(t, out, err)
			require.NoError(t, err)
			require.Nil(t, out.Panic)
			require.True(t, out.Sound)
			require.Equal(t, []string{"x"}, nb.Stopped())
			require.Empty(t, nb.Out.Take())
			require.Equal(t, "alive\n", nb.ok(t, 2, "fmt.Println(\"alive\")"))
		})
	}
	t.Run("deferred calls run", func(t *testing.T) {
		nb := NewNotebook(t, make)
		out, err := nb.Run(1, "x := 1\ndefer fmt.Println(\"deferred\")\nx = 2\nstop(\"x\")")
		require.NoError(t, err)
		require.Nil(t, out.Panic)
		require.Equal(t, "deferred\n", nb.Out.Take())
		require.Equal(t, "2\n", nb.ok(t, 2, "fmt.Println(x)"))
	})
	t.Run("what an earlier cell kept of it", func(t *testing.T) {
		nb := NewNotebook(t, make)
		_, err := nb.Run(1, "f := sync.OnceFunc(func() { stop(\"x\") })\nf()")
		require.NoError(t, err)
		out, err := nb.Run(2, "f()\nfmt.Println(\"not here\")")
		require.NoError(t, err)
		require.NotNil(t, out.Panic, "is an ordinary error")
		require.Empty(t, nb.Out.Take())
		require.Equal(t, []string{"x"}, nb.Stopped())
	})
	t.Run("a goroutine ends alone", func(t *testing.T) {
		nb := NewNotebook(t, make)
		require.Equal(t, "end\n",
			nb.ok(t, 1, "var wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); stop(\"g\"); fmt.Println(\"not here\") }()\nwg.Wait()\nfmt.Println(\"end\")"))
		require.Equal(t, []string{"g"}, nb.Stopped())
	})
}

func exits(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	for i, source := range []string{
		"os.Exit(3)", "log.Fatal(\"x\")",
		"func() { defer func() { recover() }(); os.Exit(4) }()\nfmt.Println(\"not here\")",
	} {
		out, err := nb.Run(i+1, source)
		require.NoError(t, err)
		require.Nil(t, out.Panic, source)
		require.True(t, out.Sound)
		require.NotContains(t, nb.Out.Take(), "not here")
	}
	require.Equal(t, []int{3, 1, 4}, nb.exits)
}

func cancellation(t *testing.T, make Maker) {
	for name, source := range map[string]string{
		"empty loop": "for {\n}", "counting loop": "n := 0\nfor i := 0; ; i++ {\n\tn += i\n}",
		"channel": "<-make(chan int)",
		"select":  "select {}", "sleep": "time.Sleep(time.Hour)", "mutex": "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
		"goroutines": "var wg sync.WaitGroup\nwg.Add(1)\ngo func() { for { } }()\nwg.Wait()",
		"recover":    "for {\n\tfunc() { defer func() { recover() }(); panic(1) }()\n}",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
			defer cancel()
			nb := NewNotebook(t, make)
			out, err := nb.RunContext(ctx, 1, source)
			nb.leaves(t, out, err)
			require.NoError(t, err)
			require.True(t, out.Cancelled)
		})
	}
}

// staleGoroutines tests that goroutines of earlier cells are recognised.
func staleGoroutines(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	require.Equal(t, "false\n", nb.ok(t, 1, "fmt.Println(stale())"))
	require.Equal(t, "false\n",
		nb.ok(t, 2, "answers := make(chan bool)\ngo func() { answers <- stale() }()\nfmt.Println(<-answers)"))
	out, err := nb.Run(3, "asked := make(chan bool)\ngo func() { <-asked; answers <- stale() }()")
	require.NoError(t, err)
	require.Equal(t, 1, out.Running)
	require.Equal(t, "true\nfalse\n", nb.ok(t, 4, "asked <- true\nfmt.Println(<-answers)\nfmt.Println(stale())"))
}

func leftBehind(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, "end := make(chan bool)\nvar wg sync.WaitGroup\nfor range 3 { wg.Go(func() { <-end }) }")
	nb.leaves(t, out, err)
	require.NoError(t, err)
	require.Equal(t, 3, out.Running)
	out, err = nb.Run(2, "close(end)\nwg.Wait()")
	require.NoError(t, err)
	require.Nil(t, out.Panic)
	require.True(t, out.Sound)
}

func loading(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	checked, err := nb.Front.Check(1, "fmt.Println(\"run\")")
	require.NoError(t, err)
	program, err := nb.Engine.Load(checked.Unit)
	require.NoError(t, err)
	require.Empty(t, nb.Out.Take(), "loading runs nothing")
	nb.Front.Commit(checked.Change)
	require.Nil(t, nb.Engine.Run(context.Background(), program, engine.Conditions{}).Panic)
	require.Equal(t, "run\n", nb.Out.Take())

	for i, source := range []string{
		"// nothing", "type T struct{}", "func f() {}", "const c = 1", "import \"strings\"", "var x int",
	} {
		require.Empty(t, nb.ok(t, i+2, source), source)
	}
}

func output(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	require.Equal(t, "a 1\nb\nc\nd\n",
		nb.ok(t, 1, "fmt.Println(\"a\", 1)\nfmt.Fprintln(os.Stdout, \"b\")\nfmt.Fprintln(os.Stderr, \"c\")\nlog.SetFlags(0)\nlog.Print(\"d\")"))
	require.Equal(t, "e 2\n", nb.ok(t, 2, "println(\"e\", 2)"))
}
