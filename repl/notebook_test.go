package repl

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl/internal/value"
)

// session is a notebook under test, with the output of its cells.
type session struct {
	t   testing.TB
	nb  *Notebook
	out bytes.Buffer
	n   int
}

func newSession(t testing.TB, cfg Config) *session {
	t.Helper()
	s := &session{t: t}
	cfg.Stdout = &s.out
	nb, err := New(cfg)
	require.NoError(t, err)
	s.nb = nb
	return s
}

// run runs a cell and returns its result and its output.
func (s *session) run(source string) (Result, string) { return s.runWith(source, RunOptions{}) }

func (s *session) runWith(source string, opt RunOptions) (Result, string) {
	s.n++
	s.out.Reset()
	opt.Cell = s.n
	res := s.nb.Run(context.Background(), source, opt)
	return res, s.out.String()
}

// must runs a cell that has to succeed.
func (s *session) must(source string) Result {
	s.t.Helper()
	res, _ := s.run(source)
	require.Nil(s.t, res.Error, "%v\n%s", res.Error, source)
	return res
}

func TestVarsDescribeWithoutTouching(t *testing.T) {
	e := newSession(t, Config{Engine: Exact, Context: scriptContext}) // runs what yaegi refuses
	e.must("type loud struct{}\nfunc (loud) String() string { panic(\"not for previews\") }\nl := loud{}\nch := make(chan int, 5)")
	s := newSession(t, Config{Context: scriptContext})
	s.must(`type point struct{ X, Y int; tag string }
n := 42
text := strings.Repeat("long text\n", 200000)
p := &point{1, 2, "t"}
points := map[string][]point{"a": {{3, 4, ""}}}
f := func() {}
seq := maps.Keys(points)
var none error
type node struct{ next *node }
cycle := &node{}
cycle.next = cycle
big := make([]int, 3000000)
m := map[int]int{}
for i := range 5000 { m[i] = i }`)
	s.must("n = 43")
	start := time.Now()
	vars := append(s.nb.Vars(), e.nb.Vars()...)
	require.Less(t, time.Since(start), 5*time.Minute)
	got := map[string]Var{}
	for _, v := range vars {
		got[v.Name] = v
	}
	for name, want := range map[string]Var{
		"n":      {Type: "int", Preview: "43", Cell: 2},
		"text":   {Type: "string", Size: "2 000 000 bytes", Cell: 1},
		"p":      {Type: "*point", Preview: `{"X":1,"Y":2,"tag":"t"}`, Cell: 1},
		"points": {Type: "map[string][]point", Size: "len 1", Preview: `{"a":[{"X":3,"Y":4,"tag":""}]}`, Cell: 1},
		"l":      {Type: "loud", Preview: "{}", Cell: 1},
		"f":      {Type: "func()", Preview: "(a function)", Cell: 1},
		"ch":     {Type: "chan int", Size: "len 0", Preview: "(a channel)", Cell: 1},
		"seq":    {Type: "iter.Seq[string]", Preview: "(a sequence, not read)", Cell: 1},
		"none":   {Type: "error", Preview: "null", Cell: 1},
		"cycle":  {Type: "*node", Preview: `{"next":"<cycle>"}`, Cell: 1},
		"big":    {Type: "[]int", Size: "len 3000000", Cell: 1},
		"m":      {Type: "map[int]int", Size: "len 5000", Preview: `{"…":"… 5000 more"}`, Cell: 1},
	} {
		v, ok := got[name]
		require.True(t, ok, name)
		require.Equal(t, want.Type, v.Type, name)
		require.Equal(t, want.Size, v.Size, name)
		require.Equal(t, want.Cell, v.Cell, name)
		if want.Preview != "" {
			require.Equal(t, want.Preview, v.Preview, name)
		}
		require.LessOrEqual(t, len(v.Preview), value.PreviewBytes+8, name)
	}
	require.Len(t, vars, 12)
}

func TestChangedAndDigests(t *testing.T) {
	s := newSession(t, Config{Context: scriptContext, Builtins: scriptBuiltins()})
	names := func(vars []Var) string {
		var out []string
		for _, v := range vars {
			out = append(out, v.Name)
		}
		return strings.Join(out, " ")
	}
	res := s.must("a := []int{1, 2}\nb := map[string]int{\"x\": 1}\nf := func() {}")
	require.Equal(t, "a b f", names(res.Changed))
	require.NotEmpty(t, res.Changed[0].Digest)
	require.Empty(t, res.Changed[2].Digest, "a function has no digest")
	res = s.must("fmt.Println(a, b)")
	require.Empty(t, res.Changed)
	res = s.must("a[0] = 7")
	require.Equal(t, "a", names(res.Changed))
	seven := res.Changed[0].Digest
	res = s.must("func touch() { b[\"y\"] = 2 }\ntouch()")
	require.Equal(t, "b", names(res.Changed), "through a function")
	res = s.must("touch()")
	require.Empty(t, res.Changed, "to the same value")

	other := newSession(t, Config{Context: scriptContext})
	res = other.must("a := make([]int, 2)\na[0], a[1] = 7, 2")
	require.Equal(t, seven, res.Changed[0].Digest, "equal values have equal digests")
	res = other.must("a[1] = 3")
	require.NotEqual(t, seven, res.Changed[0].Digest)
}

func TestCalledClockAndSeed(t *testing.T) {
	s := newSession(t, Config{Context: scriptContext, Builtins: scriptBuiltins()})
	res := s.must("llm_query(\"a\")\nhelper(\"b\")\nllm_query(\"c\", Loud())")
	require.Equal(t, []string{"llm_query", "helper", "Loud"}, res.Called)

	const cell = "at := time.Now()\ntook := time.Since(at)\nfmt.Println(at.UnixNano(), took >= 0, rand.Intn(1000000), rand.Int63())"
	first, printed := s.runWith(cell, RunOptions{Seed: 7})
	require.Nil(t, first.Error)
	require.Len(t, first.Clock, 2)
	again, repeated := s.runWith(cell, RunOptions{Seed: 7, Clock: first.Clock})
	require.Equal(t, printed, repeated, "a replay reads the same clock and draws the same numbers")
	require.Equal(t, first.Clock, again.Clock)
	_, different := s.runWith(cell, RunOptions{Seed: 8, Clock: first.Clock})
	require.NotEqual(t, printed, different)
}

func TestAnswerIsRecordedBeforeTheCellUnwinds(t *testing.T) {
	var recorded []answer.FinalOutput
	s := newSession(t, Config{Builtins: scriptBuiltins(), Final: func(out answer.FinalOutput) error {
		recorded = append(recorded, out)
		return nil
	}})
	res, out := s.run("defer fmt.Println(\"unwinding\")\ndefer llm_query(\"not any more\")\nFINAL(41 + 1)")
	require.Nil(t, res.Error)
	require.Equal(t, "unwinding\n", out)
	require.Equal(t, []answer.FinalOutput{{Type: answer.Direct, Answer: "42", Signal: "FINAL"}}, recorded)
	require.Equal(t, recorded[0], *res.Final)
	require.True(t, s.nb.Sound())

	s = newSession(t, Config{
		Builtins: scriptBuiltins(), Final: func(answer.FinalOutput) error { return errors.New("the host is gone") },
	})
	res, _ = s.run("FINAL(1)")
	require.Nil(t, res.Final)
	require.Contains(t, res.Error.Message, "the host is gone")
}

func TestUnwindAndCancel(t *testing.T) {
	cfg := Config{Builtins: append(scriptBuiltins(), Builtin{Name: "broke", Fn: func(site *Site) {
		site.Unwind(cellerror.BudgetExceeded, "the budget is spent")
	}})}
	s := newSession(t, cfg)
	res, out := s.run("func() {\n\tdefer func() { recover() }()\n\tbroke()\n}()\nfmt.Println(\"after\")")
	require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind)
	require.Equal(t, "the budget is spent", res.Error.Message)
	require.Empty(t, out)
	s.must("fmt.Println(\"next cell\")")

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	res = s.nb.Run(ctx, "for {\n}", RunOptions{})
	require.Equal(t, cellerror.Cancelled, res.Error.Kind)
	require.False(t, s.nb.Sound())

	s = newSession(t, cfg)
	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	res = s.nb.Run(ctx, "n := 0\nfor {\n\tn++\n}", RunOptions{})
	require.Equal(t, cellerror.Timeout, res.Error.Kind)
}

func TestAnAnswerEndsACellThatGoesOn(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Builtins: scriptBuiltins()})
	start := time.Now()
	res, _ := s.run("go func() { FINAL(\"early\") }()\nfor {\n}")
	require.Nil(t, res.Error)
	require.Equal(t, "early", res.Final.Answer)
	require.Less(t, time.Since(start), 5*time.Minute)
}

func TestAfter(t *testing.T) {
	var calls atomic.Int32
	builtins := append(scriptBuiltins(), Builtin{Name: "watch", Fn: func() {}, After: func(site *Site) error {
		calls.Add(1)
		v, typ, ok := site.Lookup("ready")
		if !ok {
			return nil
		}
		if v == "bad" {
			return errors.New("ready is bad")
		}
		site.Final(answer.FinalOutput{Answer: site.Format(v, typ), Signal: "watch"})
		return nil
	}})
	s := newSession(t, Config{Builtins: builtins})
	require.Nil(t, s.must("x := 1").Final)
	res, _ := s.run("panic(1)")
	require.NotNil(t, res.Error)
	require.EqualValues(t, 1, calls.Load(), "not after a failed cell")
	res, _ = s.run("ready := \"bad\"")
	require.Equal(t, "ready is bad", res.Error.Message)
	res = s.must("ready = \"now\"")
	require.Equal(t, "now", res.Final.Answer)
}

func TestSetContext(t *testing.T) {
	s := newSession(t, Config{Context: "first text"})
	s.must("part := context[:5]")
	s.nb.SetContext("another", []Doc{{Name: "d", Text: "another"}}, []string{"q: a"})
	res := s.must("fmt.Sprint(part, \" \", context, \" \", docs[0].Name, \" \", history[0])")
	require.Equal(t, "first another d q: a", res.Value)
}

func TestContextIsNotCopied(t *testing.T) {
	text := strings.Repeat("x", 64<<20)
	s := newSession(t, Config{Context: text})
	res := s.must("half := context[len(context)/2:]\nlen(half)")
	require.Equal(t, "33554432", res.Value)
	require.NotEmpty(t, res.Changed[0].Digest, "a part of the context is known by its place")
	value, ok := s.nb.engine.Var("half")
	require.True(t, ok)
	offset, ok := s.nb.contextRange(value.(string))
	require.True(t, ok)
	require.Equal(t, 32<<20, offset)
}

func TestUntagged(t *testing.T) {
	s := newSession(t, Config{Context: scriptContext})
	for _, prose := range []string{
		"42", "total", "- item", "ls -la", "", "a, b", "// note", "Dear reader,", "x", "{}",
		"\"quoted\"", "1 + 2", "yes | no",
	} {
		res, _ := s.runWith(prose, RunOptions{Untagged: true})
		require.NotNil(t, res.Error, prose)
		require.Equal(t, cellerror.NotACell, res.Error.Kind, prose)
	}
	for _, cell := range []string{
		"x := 1", "fmt.Println(1)", "import \"fmt\"", "func f() {}", "type t int", "for range 3 {\n}",
	} {
		res, _ := s.runWith(cell, RunOptions{Untagged: true})
		require.Nil(t, res.Error, cell)
	}
}

func TestBadConfigurations(t *testing.T) {
	for name, cfg := range map[string]Config{
		"two of one name":     {Builtins: []Builtin{{Name: "f", Fn: func() {}}, {Name: "f", Fn: func() {}}}},
		"no identifier":       {Builtins: []Builtin{{Name: "a b", Fn: func() {}}}},
		"no function":         {Builtins: []Builtin{{Name: "f", Fn: 3}}},
		"nothing":             {Builtins: []Builtin{{Name: "f"}}},
		"taken":               {Builtins: []Builtin{{Name: "context", Fn: func() {}}}},
		"source is no Go":     {Builtins: []Builtin{{Name: "f", Source: "func f( {"}}},
		"source of wrong use": {Builtins: []Builtin{{Name: "f", Source: "func f() int { return undefinedThing }"}}},
	} {
		_, err := New(cfg)
		require.Error(t, err, name)
	}
}

func TestTooLargeSource(t *testing.T) {
	s := newSession(t, Config{})
	res, _ := s.run("x := `" + strings.Repeat("a", 300<<10) + "`")
	require.Equal(t, cellerror.CompileError, res.Error.Kind)
	require.Contains(t, res.Error.Message, "more than the 262144 that are allowed")
}

func TestLongValuesAreCut(t *testing.T) {
	s := newSession(t, Config{})
	res := s.must("strings.Repeat(\"ab\", 100000)")
	require.Less(t, len(res.Value), maxShown+100)
	require.Contains(t, res.Value, "190000 bytes left out")
}

func TestWarmIsOptionalAndHandedOnOnce(t *testing.T) {
	Warm()
	a, b := newSession(t, Config{}), newSession(t, Config{})
	require.Equal(t, "A", a.must("strings.ToUpper(\"a\")").Value)
	require.Equal(t, "B", b.must("strings.ToUpper(\"b\")").Value)
}

func TestNotebooksDoNotShareState(t *testing.T) {
	a, b := newSession(t, Config{}), newSession(t, Config{})
	a.must("os.Args = []string{\"mine\"}\nlog.SetPrefix(\"a \")\nlog.SetFlags(0)\nx := 1")
	_, printed := b.run("fmt.Println(os.Args, log.Prefix() == \"\")")
	require.Equal(t, "[cell] true\n", printed)
	res, _ := b.run("x")
	require.NotNil(t, res.Error)
}

func TestGoroutinesOfAFinishedCellCannotAnswer(t *testing.T) {
	s := newSession(t, Config{Engine: Exact, Builtins: scriptBuiltins()})
	res := s.must("stop := make(chan bool)\ngo func() {\n\t<-stop\n\tFINAL(\"late\")\n}()")
	require.Contains(t, strings.Join(res.Notes, "\n"), "1 goroutine")
	res = s.must("close(stop)\ntime.Sleep(50 * time.Millisecond)\nllm_query(\"still alive\")")
	require.Nil(t, res.Final)
	require.Equal(t, "re: still alive", res.Value)
}
