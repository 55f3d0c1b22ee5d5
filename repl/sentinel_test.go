package repl

import (
	"context"
	"fmt"
	"go/types"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
)

// sentinels has builtins that stand for compiled code between two functions of a cell, and records the panic values
// that pass through it.
type sentinels struct {
	mu   sync.Mutex
	seen []any
	kept any
}

func (s *sentinels) see(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, v)
}

func (s *sentinels) builtins() []Builtin {
	return append(endings(),
		// between records the panic value of work, and panics again with it.
		Builtin{Name: "between", Fn: func(work func()) {
			defer func() {
				v := recover()
				s.see(v)
				if v != nil {
					panic(v)
				}
			}()
			work()
		}},
		// swallow recovers the panic of work, as fmt does around String.
		Builtin{Name: "swallow", Fn: func(work func()) {
			defer func() { s.kept = recover() }()
			work()
		}},
		// say prints a value as Go does, and shown displays it in the same form.
		Builtin{Name: "say", Fn: func(site *Site, v any) { site.Print(fmt.Sprintf("%#v", v)) }},
		Builtin{Name: "shown", Fn: func() {}, Shows: func(_ *Site, v any, _ types.Type, _ string) (bundle.Item, bool) {
			item, err := bundle.New(fmt.Sprintf("%#v", v), "text/x", "")
			return item, err == nil
		}},
		// repeat panics with the value that swallow recovered, as a function made by sync.OnceFunc does.
		Builtin{Name: "repeat", Fn: func() { panic(s.kept) }},
	)
}

// run runs cells in a new session of an engine and returns the result and the output of the last; ok is false if
// yaegi leaves one to the exact engine.
func (s *sentinels) run(t *testing.T, engine Engine, cells ...string) (res Result, out string, ok bool) {
	t.Helper()
	nb := newSession(t, Config{Engine: engine, Context: scriptContext, Builtins: s.builtins(), grace: time.Minute})
	for _, source := range cells {
		if res, out = nb.run(source); engine == Yaegi && res.Error != nil && res.Error.Kind == cellerror.Refused {
			return res, out, false
		}
	}
	return res, out, true
}

// both runs a test in both engines, as subtests.
func both(t *testing.T, name string, test func(t *testing.T, engine Engine)) {
	t.Helper()
	for _, engine := range []Engine{Yaegi, Exact} {
		t.Run(name+" in "+string(engine), func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// ranInExact requires that a cell ran in the exact engine but not in yaegi, which leaves such cells to the exact
// engine. It returns ran.
func ranInExact(t *testing.T, engine Engine, ran bool) bool {
	t.Helper()
	require.Equal(t, engine == Exact, ran)
	return ran
}

// TestTheSentinelIsWhatUnwinds checks the panic value that compiled code between two functions of a cell sees.
func TestTheSentinelIsWhatUnwinds(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"FINAL":                     "between(func() { FINAL(1) })",
		"FINAL_VAR":                 "x := 1\nbetween(func() { FINAL_VAR(\"x\") })",
		"FINAL_VAR of a local":      "func() {\n\tx := 1\n\tbetween(func() { FINAL_VAR(\"x\") })\n}()",
		"FINAL as a value":          "end := FINAL\nbetween(func() { end(1) })",
		"the budget":                "between(func() { budget() })",
		"os.Exit":                   "between(func() { os.Exit(0) })",
		"sort.Slice":                "between(func() {\n\txs := []int{3, 1, 2}\n\tsort.Slice(xs, func(i, j int) bool { FINAL(1); return false })\n})",
		"slices.SortFunc":           "between(func() { slices.SortFunc([]int{3, 1, 2}, func(a, b int) int { FINAL(1); return 0 }) })",
		"strings.Map":               "between(func() { _ = strings.Map(func(r rune) rune { FINAL(1); return r }, \"abc\") })",
		"a method":                  "type T struct{}\nfunc (T) Less() { FINAL(1) }\nbetween(func() { T{}.Less() })",
		"behind a recover":          "between(func() {\n\tdefer func() { recover() }()\n\tFINAL(1)\n})",
		"behind a deferred panic":   "between(func() {\n\tdefer func() { panic(\"other\") }()\n\tFINAL(1)\n})",
		"in a deferred call":        "between(func() {\n\tdefer FINAL(1)\n})",
		"below a panic":             "between(func() {\n\tdefer func() { FINAL(1) }()\n\tpanic(\"other\")\n})",
		"in a body of a range":      "between(func() {\n\tfor range func(yield func(int) bool) { yield(1) } { FINAL(1) }\n})",
		"in a coroutine":            "between(func() {\n\tnext, stop := iter.Pull(func(yield func(int) bool) { FINAL(1); yield(1) })\n\tdefer stop()\n\tnext()\n})",
		"below a hundred calls":     "func down(n int) {\n\tif n > 0 { down(n - 1) } else { FINAL(1) }\n}\nbetween(func() { down(100) })",
		"in a goroutine":            "var wg sync.WaitGroup\nwg.Go(func() { between(func() { FINAL(1) }) })\nwg.Wait()",
		"in a goroutine of its own": "done := make(chan int)\ngo func() { defer close(done); between(func() { FINAL(1) }) }()\n<-done",
		"in main":                   "package main\nfunc main() { between(func() { FINAL(1) }) }",
		"in a variable's value":     "package main\nvar x = f()\nfunc f() int { between(func() { FINAL(1) }); return 1 }\nfunc main() {}",
		"in init":                   "func init() { between(func() { FINAL(1) }) }",
	} {
		both(t, name, func(t *testing.T, engine Engine) {
			var s sentinels
			res, _, ok := s.run(t, engine, "first := 1", source)
			if !ok {
				return
			}
			require.Len(t, s.seen, 1)
			require.IsType(t, &answer.Sentinel{}, s.seen[0])
			require.Equal(t, 2, s.seen[0].(*answer.Sentinel).Cell)
			if name == "the budget" {
				require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind)
				return
			}
			require.Nil(t, res.Error, "%v", res.Error)
			if name != "os.Exit" {
				require.Equal(t, "1", res.Final.Answer)
			}
		})
	}
}

// TestAStackThatIsDeep checks that a deep stack is unwound by a panic in the exact engine, and by runtime.Goexit in
// yaegi.
func TestAStackThatIsDeep(t *testing.T) {
	t.Parallel()
	both(t, "16 000 calls", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine,
			"func down(n int) {\n\tif n > 0 { down(n - 1) } else { FINAL(1) }\n}\nbetween(func() { down(16_000) })")
		require.True(t, ok)
		require.Nil(t, res.Error)
		require.Equal(t, "1", res.Final.Answer)
		require.Len(t, s.seen, 1)
		if engine == Exact {
			require.IsType(t, &answer.Sentinel{}, s.seen[0])
		} else {
			require.Nil(t, s.seen[0])
		}
	})
}

// TestAGoroutineOfCompiledCode ends cells on goroutines that compiled code starts, where a panic would end the
// process.
func TestAGoroutineOfCompiledCode(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"an interface":          "wg := &sync.WaitGroup{}\nvar g interface{ Go(func()); Wait() } = wg\ng.Go(func() { FINAL(\"first\") })\ng.Wait()\nfmt.Println(\"end\")",
		"an embedded one":       "type T struct{ sync.WaitGroup }\nwg := &T{}\nvar g interface{ Go(func()) } = wg\ng.Go(func() { FINAL(\"first\") })\nwg.Wait()\nfmt.Println(\"end\")",
		"a method value":        "wg := &sync.WaitGroup{}\nf := wg.Go\nf(func() { FINAL(\"first\") })\nwg.Wait()\nfmt.Println(\"end\")",
		"a method expression":   "f := (*sync.WaitGroup).Go\nwg := &sync.WaitGroup{}\nf(wg, func() { FINAL(\"first\") })\nwg.Wait()\nfmt.Println(\"end\")",
		"a context of the cell": "type C struct{ done, ended chan struct{} }\nfunc (c C) Deadline() (time.Time, bool) { return time.Time{}, false }\nfunc (c C) Done() <-chan struct{} { return c.done }\nfunc (c C) Err() error {\n\tselect {\n\tcase <-c.done:\n\t\tdefer close(c.ended)\n\t\tFINAL(\"first\")\n\tdefault:\n\t}\n\treturn nil\n}\nfunc (c C) Value(any) any { return nil }\nc := C{make(chan struct{}), make(chan struct{})}\n_, cancel := context.WithCancel(c)\ndefer cancel()\nclose(c.done)\n<-c.ended\nfmt.Println(\"end\")",
	} {
		both(t, name, func(t *testing.T, engine Engine) {
			var s sentinels
			res, out, ok := s.run(t, engine, source)
			if !ok {
				return
			}
			require.Nil(t, res.Error, "%v", res.Error)
			require.Equal(t, "first", res.Final.Answer)
			require.Equal(t, "end\n", out)
		})
	}
}

// TestASentinelThatIsKept checks that a sentinel recovered by compiled code is raised again by the next builtin or
// print.
func TestASentinelThatIsKept(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{
		"print":           "fmt.Println(\"on\")",
		"print in a call": "func() { fmt.Print(\"on\") }()",
		"println":         "println(\"on\")",
		"os.Stdout":       "fmt.Fprint(os.Stdout, \"on\")",
		"log":             "log.Print(\"on\")",
		"a builtin":       "_ = llm_query(\"x\")\nfmt.Println(\"on\")",
		"an answer":       "FINAL(\"second\")",
		"a deferred call": "func() {\n\tdefer fmt.Println(\"on\")\n}()\nfmt.Println(\"on\")",
	} {
		both(t, name, func(t *testing.T, engine Engine) {
			var s sentinels
			res, out, ok := s.run(t, engine, "between(func() {\n\tswallow(func() { FINAL(\"first\") })\n\t"+
				strings.ReplaceAll(next, "\n", "\n\t")+"\n})")
			if !ok {
				return
			}
			require.NotContains(t, out, "on")
			require.Nil(t, res.Error, "%v", res.Error)
			require.Equal(t, "first", res.Final.Answer)
			require.IsType(t, &answer.Sentinel{}, s.kept)
			require.Equal(t, []any{s.kept}, s.seen, "it is the same again")
		})
	}
	both(t, "nothing follows", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine, "swallow(func() { FINAL(\"first\") })\nx := 1\nx++")
		require.True(t, ok)
		require.Nil(t, res.Error, "%v", res.Error)
		require.Equal(t, "first", res.Final.Answer)
	})
	both(t, "the value of a cell", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine,
			"type T struct{}\nfunc (T) String() string { FINAL(\"first\"); return \"\" }\n[]any{T{}}")
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Nil(t, res.Error, "%v", res.Error)
		require.Equal(t, "first", res.Final.Answer)
		require.Empty(t, res.Value)
	})
	both(t, "a form of the value of a cell", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine,
			"type T struct{}\nfunc (T) GoString() string { FINAL(\"first\"); return \"\" }\n[]any{T{}}")
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Equal(t, "first", res.Final.Answer)
		require.Empty(t, res.Items)
	})
	both(t, "a print of a builtin", func(t *testing.T, engine Engine) {
		var s sentinels
		res, out, ok := s.run(t, engine,
			"type T struct{}\nfunc (T) GoString() string { FINAL(\"first\"); return \"\" }\nsay([]any{T{}})")
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Equal(t, "first", res.Final.Answer)
		require.Empty(t, out)
	})
	both(t, "the text of a panic, and of one in the next cell", func(t *testing.T, engine Engine) {
		var s sentinels
		const kept = "type E struct{}\nfunc (E) String() string { FINAL(\"first\"); return \"\" }\npanic(E{})"
		res, _, ok := s.run(t, engine, kept)
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Equal(t, "first", res.Final.Answer)
		res, out, _ := s.run(t, engine, kept,
			"type P struct{}\nfunc (P) String() string { fmt.Println(\"on\"); return \"text of P\" }\npanic(P{})")
		require.Equal(t, "on\n", out)
		require.Contains(t, res.Error.Message, "text of P")
	})
	both(t, "another goroutine prints on", func(t *testing.T, engine Engine) {
		var s sentinels
		res, out, ok := s.run(t, engine,
			"ended := make(chan int)\ngo func() { defer close(ended); FINAL(\"first\") }()\n<-ended\nfmt.Println(\"other\")")
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Equal(t, "first", res.Final.Answer)
		require.Equal(t, "other\n", out)
	})
}

// TestTheEndOfACancelledRun checks that code that computes or waits is unwound in the exact engine.
func TestTheEndOfACancelledRun(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a loop": "for {\n}", "a call": "var f func()\nf = func() { for { func() {}() } }\nf()",
		"a channel": "<-make(chan int)", "a select": "select {}",
		"sleep": "time.Sleep(time.Hour)", "a mutex": "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s sentinels
			nb := newSession(t, Config{Engine: Exact, Builtins: s.builtins()})
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			res := nb.nb.Run(ctx, "defer fmt.Println(\"deferred\")\nbetween(func() {\n"+source+"\n})",
				RunOptions{Cell: 7})
			require.Equal(t, cellerror.Cancelled, res.Error.Kind)
			require.Len(t, s.seen, 1)
			require.IsType(t, &answer.Sentinel{}, s.seen[0])
			require.Equal(t, 7, s.seen[0].(*answer.Sentinel).Cell)
			require.Equal(t, "deferred\n", nb.out.String())
		})
	}
}

// TestACheckAfterACellMayEndTheRun checks that After may end the run without an answer.
func TestACheckAfterACellMayEndTheRun(t *testing.T) {
	both(t, "budget", func(t *testing.T, engine Engine) {
		s := newSession(t, Config{
			Engine: engine,
			Builtins: append(endings(), Builtin{Name: "watch", Fn: func() {}, After: func(site *Site) error {
				site.Unwind(cellerror.BudgetExceeded, "the budget is used up")
				return nil
			}}),
		})
		res, _ := s.run("x := 1")
		require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind)
	})
}

// TestASentinelOfAnotherCell checks that the sentinel of another cell is an ordinary panic: boundaries catch only
// that of their own cell.
func TestASentinelOfAnotherCell(t *testing.T) {
	t.Parallel()
	both(t, "of an earlier cell", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine, "swallow(func() { FINAL(\"first\") })", "repeat()")
		require.True(t, ok)
		require.Nil(t, res.Final)
		require.Equal(t, cellerror.Panic, res.Error.Kind)
		require.Contains(t, res.Error.Message, "this call ended cell 1")
	})
	both(t, "of an earlier cell, in a goroutine", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine, "swallow(func() { FINAL(\"first\") })",
			"var wg sync.WaitGroup\nwg.Go(func() { repeat() })\nwg.Wait()")
		if !ranInExact(t, engine, ok) {
			return
		}
		require.Nil(t, res.Final)
		require.Equal(t, cellerror.GoroutinePanic, res.Error.Kind)
	})
	both(t, "of an earlier cell, while the cell answers", func(t *testing.T, engine Engine) {
		var s sentinels
		res, _, ok := s.run(t, engine, "swallow(func() { FINAL(\"first\") })",
			"defer func() { recover() }()\ndefer repeat()\nFINAL(\"second\")")
		require.True(t, ok)
		require.Nil(t, res.Error, "%v", res.Error)
		require.Equal(t, "second", res.Final.Answer)
	})
	both(t, "of another notebook", func(t *testing.T, engine Engine) {
		var s sentinels
		_, _, ok := s.run(t, engine, "swallow(func() { FINAL(\"first\") })")
		require.True(t, ok)
		res, _, ok := s.run(t, engine, "repeat()")
		require.True(t, ok)
		require.Nil(t, res.Final)
		require.Equal(t, cellerror.Panic, res.Error.Kind)
	})
	t.Run("recovered in a later cell", func(t *testing.T) {
		var s sentinels
		res, out, _ := s.run(t, Exact, "swallow(func() { FINAL(\"first\") })",
			"defer func() { fmt.Printf(\"%v\", recover()) }()\nrepeat()")
		require.Nil(t, res.Error)
		require.Contains(t, out, "this call ended cell 1")
	})
}
