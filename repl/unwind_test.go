package repl

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
)

// endings returns builtins that end a cell in every possible way.
func endings() []Builtin {
	return append(scriptBuiltins(), Builtin{Name: "budget", Fn: func(site *Site) string {
		site.Unwind(cellerror.BudgetExceeded, "the budget is used up")
		return "not reached"
	}})
}

// grace is the grace period of the cells here, many of which use all of it.
const grace = 50 * time.Millisecond

// attacks are cells that try to continue after END, which stands for a call that ends the cell. None may print "on"
// or give another answer. The callbacks cover the packages of Go's library whose functions take functions or call
// methods.
var attacks = []struct{ name, source string }{
	{"recover", "func f() {\n\tdefer func() { if r := recover(); r != nil { fmt.Println(\"on\", r) } }()\n\tEND\n}\nf()\nfmt.Println(\"on\")"},
	{"recover as a value", "defer func() { if recover() != nil { fmt.Println(\"on\") } }()\nEND"},
	{"recover as a deferred call", "func f() {\n\tdefer recover()\n\tEND\n}\nf()\nfmt.Println(\"on\")"},
	{
		"recover as a deferred call of one",
		"func f() {\n\tdefer func() {\n\t\tdefer recover()\n\t\tpanic(\"other\")\n\t}()\n\tEND\n}\nf()\nfmt.Println(\"on\")",
	},
	{"recover in a loop", "for range 5 {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\tEND\n\t}()\n\tfmt.Println(\"on\")\n}"},
	{"recover far out", "func a() { defer func() { recover() }(); b() }\nfunc b() { defer func() { recover() }(); c() }\nfunc c() { END }\na()\nfmt.Println(\"on\")"},
	{"recover twice", "defer func() { recover(); if recover() != nil { fmt.Println(\"on\") } }()\ndefer func() { recover() }()\nEND"},
	{"panic on the way", "func f() {\n\tdefer func() { recover() }()\n\tdefer func() { panic(\"other\") }()\n\tEND\n}\nf()\nfmt.Println(\"on\")"},
	{"panic on the way, not recovered", "defer func() { panic(\"other\") }()\nEND"},
	{"another answer on the way", "defer func() { recover(); FINAL(\"second\"); fmt.Println(\"on\") }()\nEND"},
	{
		"a result after recovering",
		"func f() (s string) {\n\tdefer func() { recover(); s = \"kept\" }()\n\tEND\n\treturn \"x\"\n}\nfmt.Println(\"on\", f())",
	},
	{"a method", "type T struct{}\nfunc (T) M() { defer func() { recover() }(); END }\nvar m interface{ M() } = T{}\nm.M()\nfmt.Println(\"on\")"},
	{
		"a closure that is kept",
		"f := func() { END }\ng := func() { defer func() { recover() }(); f() }\ng()\nfmt.Println(\"on\")",
	},
	{"stored as a value", "end := FINAL\ndefer func() { recover() }()\nif len(context) > 0 { END }\nend(\"second\")"},
	{
		"range over a function",
		"seq := func(yield func(int) bool) { defer func() { recover() }(); yield(1); fmt.Println(\"on\") }\nfor range seq { END }\nfmt.Println(\"on\")",
	},
	{"String", "type T struct{}\nfunc (T) String() string { END; return \"s\" }\nfmt.Println(T{})\nfmt.Println(\"on\")"},
	{"Error", "type T struct{}\nfunc (T) Error() string { END; return \"s\" }\n_ = fmt.Sprintf(\"%v\", T{})\nfmt.Println(\"on\")"},
	{"Format", "type T struct{}\nfunc (T) Format(s fmt.State, c rune) { END }\n_ = fmt.Sprintf(\"%v\", T{})\nfmt.Println(\"on\")"},
	{"GoString", "type T struct{}\nfunc (T) GoString() string { END; return \"\" }\n_ = fmt.Sprintf(\"%#v\", []any{T{}})\nfmt.Println(\"on\")"},
	{"MarshalJSON", "type T struct{}\nfunc (T) MarshalJSON() ([]byte, error) { END; return nil, nil }\n_, err := json.Marshal(map[string]any{\"a\": T{}})\nfmt.Println(\"on\", err)"},
	{"MarshalText", "type T struct{}\nfunc (T) MarshalText() ([]byte, error) { END; return nil, nil }\n_, err := json.Marshal([]T{{}})\nfmt.Println(\"on\", err)"},
	{"UnmarshalJSON", "type T struct{}\nfunc (t *T) UnmarshalJSON(b []byte) error { END; return nil }\nvar x struct{ A T }\nerr := json.Unmarshal([]byte(`{\"A\": 1}`), &x)\nfmt.Println(\"on\", err)"},
	{"IsZero", "type T struct{ N int }\nfunc (T) IsZero() bool { END; return true }\n_, err := json.Marshal(struct{ A T `json:\",omitzero\"` }{T{1}})\nfmt.Println(\"on\", err)"},
	{"a function of a template", "f := template.FuncMap{\"f\": func() string { END; return \"\" }}\n" +
		"t := template.Must(template.New(\"\").Funcs(f).Parse(\"{{f}}\"))\n" +
		"err := t.Execute(os.Stdout, nil)\nfmt.Println(\"on\", err)"},
	{"a method in a template", "type T struct{}\nfunc (T) M() string { END; return \"\" }\n" +
		"t := template.Must(template.New(\"\").Parse(\"{{.M}}\"))\n" +
		"err := t.Execute(io.Discard, T{})\nfmt.Println(\"on\", err)"},
	{"sort.Slice", "xs := []int{3, 1, 2}\nsort.Slice(xs, func(i, j int) bool { END; return xs[i] < xs[j] })\nfmt.Println(\"on\")"},
	{"sort.Sort", "type S []int\nfunc (s S) Len() int { return len(s) }\nfunc (s S) Less(i, j int) bool { END; return true }\nfunc (s S) Swap(i, j int) {}\nsort.Sort(S{2, 1})\nfmt.Println(\"on\")"},
	{"slices.SortFunc", "slices.SortFunc([]int{3, 1, 2}, func(a, b int) int { END; return 0 })\nfmt.Println(\"on\")"},
	{"strings.Map", "_ = strings.Map(func(r rune) rune { END; return r }, \"abc\")\nfmt.Println(\"on\")"},
	{"strings.FieldsFunc", "func f() { defer func() { recover() }(); _ = strings.FieldsFunc(\"a b\", func(r rune) bool { END; return true }) }\nf()\nfmt.Println(\"on\")"},
	{"regexp", "_ = regexp.MustCompile(\"a\").ReplaceAllStringFunc(\"aa\", func(s string) string { END; return s })\nfmt.Println(\"on\")"},
	{"heap", "type H []int\nfunc (h H) Len() int { return len(h) }\nfunc (h H) Less(i, j int) bool { END; return true }\nfunc (h H) Swap(i, j int) {}\nfunc (h *H) Push(x any) { *h = append(*h, x.(int)) }\nfunc (h *H) Pop() any { return nil }\nheap.Init(&H{2, 1})\nfmt.Println(\"on\")"},
	{"sync.Once", "var once sync.Once\nfunc f() { defer func() { recover() }(); once.Do(func() { END }) }\nf()\nonce.Do(func() { fmt.Println(\"on\") })\nfmt.Println(\"on\")"},
	{"sync.OnceFunc", "end := sync.OnceFunc(func() { END })\nfunc f() { defer func() { recover() }(); end() }\nf()\nfmt.Println(\"on\")"},
	{"sync.OnceValue", "end := sync.OnceValue(func() int { END; return 1 })\nfunc f() { defer func() { recover() }(); fmt.Println(\"on\", end()) }\nf()\nf()"},
	{"sync.Pool", "p := sync.Pool{New: func() any { END; return 1 }}\nfmt.Println(\"on\", p.Get())"},
	{"sync.Map", "var m sync.Map\nm.Store(1, 2)\nm.Range(func(k, v any) bool { END; return true })\nfmt.Println(\"on\")"},
	{"errors.As", "type E struct{}\nfunc (E) Error() string { return \"e\" }\nfunc (E) Is(error) bool { END; return true }\nfmt.Println(\"on\", errors.Is(E{}, io.EOF))"},
	{"a Reader", "type R struct{}\nfunc (R) Read(p []byte) (int, error) { END; return 0, io.EOF }\n_, err := io.ReadAll(R{})\nfmt.Println(\"on\", err)"},
	{"a Writer", "type W struct{}\nfunc (W) Write(p []byte) (int, error) { END; return len(p), nil }\nfmt.Fprintln(W{}, \"x\")\nfmt.Println(\"on\")"},
	{"a scanner", "sc := bufio.NewScanner(strings.NewReader(\"a b\"))\nsc.Split(func(data []byte, end bool) (int, []byte, error) { END; return 0, nil, nil })\nfor sc.Scan() { fmt.Println(\"on\") }\nfmt.Println(\"on\", sc.Err())"},
	{"text of a panic", "type E struct{}\nfunc (E) Error() string { END; return \"e\" }\npanic(E{})"},
	{"the value that is shown", "type T struct{}\nfunc (T) String() string { END; return \"e\" }\n[]any{T{}, T{}}"},
	{"a goroutine", "go func() { defer func() { recover() }(); END }()\nselect {}"},
	{
		"a goroutine that is waited for",
		"var wg sync.WaitGroup\nwg.Add(1)\ngo func() { defer wg.Done(); defer func() { recover() }(); END }()\nwg.Wait()\nllm_query(\"x\")\nfmt.Println(\"on\")",
	},
	{"WaitGroup.Go", "var wg sync.WaitGroup\nwg.Go(func() { END })\nwg.Wait()\nllm_query(\"x\")\nfmt.Println(\"on\")"},
	{"a timer", "time.AfterFunc(time.Millisecond, func() { END })\nselect {}"},
	{"a deep stack", "func deep(n int) { if n > 0 { deep(n - 1) } else { END } }\ndefer func() { recover() }()\ndeep(12000)\nfmt.Println(\"on\")"},
	{
		"a deep stack of deferred calls",
		"func deep(n int) { defer func() { recover() }(); if n > 0 { deep(n - 1) } else { END } }\ndeep(700)\nfmt.Println(\"on\")",
	},
}

func TestNothingStopsAnEnd(t *testing.T) {
	t.Parallel()
	for _, end := range []struct{ name, call string }{{"answer", `FINAL("first")`}, {"budget", "budget()"}} {
		for _, a := range attacks {
			for _, engine := range []Engine{Yaegi, Exact} {
				t.Run(end.name+"/"+a.name+" in "+string(engine), func(t *testing.T) {
					t.Parallel()
					var told []answer.FinalOutput
					var mu sync.Mutex
					cfg := Config{
						Engine: engine, Context: scriptContext, Builtins: endings(), grace: grace,
						Final: func(out answer.FinalOutput) error {
							mu.Lock()
							defer mu.Unlock()
							told = append(told, out)
							return nil
						},
					}
					res, out := newSession(t, cfg).run(strings.ReplaceAll(a.source, "END", end.call))
					if engine == Yaegi && res.Error != nil && res.Error.Kind == cellerror.Refused {
						return // yaegi leaves the cell to the exact engine
					}
					require.NotContains(t, out, "on")
					mu.Lock()
					defer mu.Unlock()
					if end.name == "answer" {
						require.Nil(t, res.Error, "%v", res.Error)
						require.Equal(t, "first", res.Final.Answer)
						require.Len(t, told, 1)
					} else {
						require.NotNil(t, res.Error)
						require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind, res.Error.Message)
						require.Empty(t, told)
					}
				})
			}
		}
	}
}

// TestDeferredCallsRun checks that a cell that ends runs every deferred call once, innermost first, and that
// recover() returns nil in them.
func TestDeferredCallsRun(t *testing.T) {
	s := newSession(t, Config{Builtins: endings()})
	res, out := s.run("func f() {\n\tdefer fmt.Println(\"inner\")\n\tdefer func() { fmt.Println(recover()) }()\n\tFINAL(1)\n}\ndefer fmt.Println(\"outer\")\nn := 1\nf()\nn = 2")
	require.Nil(t, res.Error)
	require.Equal(t, "<nil>\ninner\nouter\n", out)
	require.True(t, s.nb.Sound())
	require.Equal(t, "1", s.must("n").Value, "the session goes on")
}

// TestTheSentinelOfAnEarlierCell lets compiled code keep a sentinel and panic with it in a later cell, where it is
// an ordinary panic.
func TestTheSentinelOfAnEarlierCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, setup, again string }{
		{"OnceFunc", "end := sync.OnceFunc(func() { FINAL(\"first\") })", "end()"},
		{"OnceValue", "end := sync.OnceValue(func() int { FINAL(\"first\"); return 1 })", "end()"},
		{"OnceValues", "end := sync.OnceValues(func() (int, error) { FINAL(\"first\"); return 1, nil })", "end()"},
	} {
		for _, engine := range []Engine{Yaegi, Exact} {
			if engine == Yaegi && c.name != "OnceFunc" {
				continue // yaegi refuses generic functions of package sync
			}
			t.Run(c.name+" in "+string(engine), func(t *testing.T) {
				t.Parallel()
				s := newSession(t, Config{Engine: engine, Builtins: endings(), grace: grace})
				s.must(c.setup)
				require.Equal(t, "first", s.must("defer func() { recover() }()\n"+c.again).Final.Answer)
				res, _ := s.run(c.again)
				require.Nil(t, res.Final)
				require.NotNil(t, res.Error)
				require.Equal(t, cellerror.Panic, res.Error.Kind)
				if engine == Exact { // yaegi leaves panics to the exact engine
					res, out := s.run("func() {\n\tdefer func() { fmt.Println(\"caught:\", recover() != nil) }()\n\t" +
						c.again + "\n}()\nfmt.Println(\"on\")")
					require.Nil(t, res.Error)
					require.Equal(t, "caught: true\non\n", out)
				}
				require.Equal(t, "second", s.must("FINAL(\"second\")").Final.Answer, "its own end is accepted")
				if engine == Yaegi {
					return // cells start no goroutines in yaegi
				}
				res, _ = s.run("go func() { " + c.again + " }()\ntime.Sleep(time.Second)")
				require.NotNil(t, res.Error)
				require.Equal(t, cellerror.GoroutinePanic, res.Error.Kind)
			})
		}
	}
}

// TestLateGoroutines calls builtins on goroutines whose cell has ended: the goroutines end, and the later cell does
// not notice.
func TestLateGoroutines(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Builtins: endings()})
	s.must("start := make(chan int)\ndone := make(chan int)\ngo func() { defer close(done); defer func() { recover() }(); <-start; FINAL(\"late\") }()")
	res, out := s.run("start <- 1\n<-done\nfmt.Println(\"on\")")
	require.Nil(t, res.Error, "%v", res.Error)
	require.Nil(t, res.Final)
	require.Equal(t, "on\n", out)
}

// TestTheFirstAnswerWins lets many goroutines answer at the same time.
func TestTheFirstAnswerWins(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []string
	s := newSession(t, Config{
		Engine: Exact, Builtins: endings(), grace: grace, Final: func(out answer.FinalOutput) error {
			mu.Lock()
			defer mu.Unlock()
			if told = append(told, out.Answer); len(told) > 1 {
				return errors.New("told twice")
			}
			return nil
		},
	})
	for i := range 5 {
		told = nil
		res, _ := s.run("for i := range 20 {\n\tgo func() { defer FINAL(i + 1000); FINAL(i) }()\n}\nselect {}")
		require.Nil(t, res.Error, "%v", res.Error)
		mu.Lock()
		require.Equal(t, []string{res.Final.Answer}, told, fmt.Sprint(i))
		mu.Unlock()
		if !s.nb.Sound() {
			s = newSession(t, s.nb.cfg)
		}
	}
}

// TestLatePrinting checks that a later cell's output does not contain what an earlier cell's goroutine prints.
func TestLatePrinting(t *testing.T) {
	s := newSession(t, Config{Engine: Exact})
	_, out := s.run("start := make(chan int)\ndone := make(chan int)\ngo func() { <-start; fmt.Println(\"late\"); log.Print(\"later\"); close(done) }()\nfmt.Println(\"first\")")
	require.Equal(t, "first\n", out)
	res, out := s.run("fmt.Println(\"second\")\nstart <- 1\n<-done\nfmt.Println(\"third\")")
	require.Nil(t, res.Error)
	require.Equal(t, "second\nthird\n", out)
	require.Contains(t, strings.Join(res.Notes, "\n"), "earlier cells left running printed")
	require.Contains(t, strings.Join(res.Notes, "\n"), "late")
	res, out = s.run("fmt.Println(\"fourth\")")
	require.Equal(t, "fourth\n", out)
	require.Empty(t, res.Notes)
}

// TestLatePanics checks that a later cell reports the panic of an earlier cell's goroutine, or of a function
// that waited for a time or a context.
func TestLatePanics(t *testing.T) {
	s := newSession(t, Config{Engine: Exact})
	for _, begins := range []string{
		"go func() { defer close(done); <-start; panic(\"late\") }()",
		"ctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() { defer close(done); <-start; panic(\"late\") })\ncancel()",
	} {
		s.must("start := make(chan int)\ndone := make(chan int)\n" + begins)
		told := ""
		for source := "start <- 1\n<-done"; !strings.Contains(told, "printed"); source = "1" {
			res, _ := s.run(source)
			require.Nil(t, res.Error)
			told = strings.Join(res.Notes, "\n")
		}
		require.Contains(t, told, "earlier cells left running printed 12 bytes: panic: late")
	}
}
