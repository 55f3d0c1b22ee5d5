package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/patience"
	"github.com/gorlm/rlm/sandbox"
)

// echo answers every call with its prompt.
func echo(_ context.Context, c sandbox.Call) sandbox.Reply {
	return sandbox.Reply{Body: append([]byte("re: "), c.Body...)}
}

// start starts a session that ends with the test. It fills gaps in cfg with what most tests need.
func start(t testing.TB, cfg sandbox.Config) *sandbox.Session {
	t.Helper()
	return startWith(t, patience.Default(), cfg)
}

// hasty has waits for tests of cells that hang: long enough for a busy machine.
var hasty = patience.Times{Idle: 200 * time.Millisecond, Reply: time.Second, End: time.Second, Replay: 2 * time.Second}

// startWith is start with other waits.
func startWith(t testing.TB, waits patience.Times, cfg sandbox.Config) *sandbox.Session {
	t.Helper()
	if cfg.Call == nil {
		cfg.Call = echo
	}
	if cfg.Builtins == nil {
		cfg.Builtins = standard()
	}
	s, err := sandbox.New(patience.With(t.Context(), waits), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func standard() []builtins.Spec { return builtins.Standard(answer.Response) }

// long skips a test that takes too long for everyday use.
func long(t testing.TB) {
	t.Helper()
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("takes long: set RLM_LONG=1 to run it")
	}
}

// run runs a cell that may fail.
func run(t testing.TB, s *sandbox.Session, source string) sandbox.Result {
	t.Helper()
	res, err := s.Run(t.Context(), sandbox.Cell{Source: source})
	require.NoError(t, err)
	return res
}

// good runs a cell that must not fail.
func good(t testing.TB, s *sandbox.Session, source string) sandbox.Result {
	t.Helper()
	res := run(t, s, source)
	require.Nil(t, res.Error, source)
	return res
}

// text returns a context with the given text, in a new file.
func text(t testing.TB, s string, docs ...sandbox.DocRange) sandbox.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "context")
	require.NoError(t, os.WriteFile(path, []byte(s), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return sandbox.Context{File: f, Size: int64(len(s)), Docs: docs}
}

func TestASessionKeepsItsState(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	good(t, s, "x := 40")
	good(t, s, "double := func(n int) int { return 2 * n }")
	good(t, s, "type point struct{ X, Y int }\np := point{1, 2}")
	require.Equal(t, "84\n", good(t, s, "x += 2\nfmt.Println(double(x))").Output)
	require.Equal(t, "3\n", good(t, s, "fmt.Println(p.X + p.Y)").Output)
	vars, err := s.Vars(t.Context())
	require.NoError(t, err)
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	require.Subset(t, names, []string{"double", "p", "x"})
}

func TestCellsAreNumberedAndSeeded(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Seed: 100})
	require.Equal(t, 1, good(t, s, "1 + 1").Cell)
	res := run(t, s, "this is not Go")
	require.Equal(t, 2, res.Cell)
	require.NotNil(t, res.Error)
	res = good(t, s, "a := rand.Intn(1 << 30)\nfmt.Println(a)")
	require.EqualValues(t, 103, res.Seed)
	again := start(t, sandbox.Config{Seed: 102})
	require.Equal(t, res.Output, good(t, again, "a := rand.Intn(1 << 30)\nfmt.Println(a)").Output,
		"the same seed draws the same numbers")
}

func TestOutputIsStreamedAndCutInTheMiddle(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var streamed strings.Builder
	first := make(chan struct{})
	var once sync.Once
	s := start(t, sandbox.Config{
		Limits: sandbox.Limits{Output: 1000},
		Print: func(cell int, p []byte) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&streamed, "%s", p)
			once.Do(func() { close(first) })
		},
		Call: func(ctx context.Context, c sandbox.Call) sandbox.Reply {
			select {
			case <-first: // output before the call must arrive while the cell waits for the reply
			case <-time.After(20 * time.Second):
				assert.Fail(t, "nothing was streamed while the cell ran")
			}
			return sandbox.Reply{}
		},
	})
	res := good(t, s, `fmt.Println("début")`+"\nllm_query(\"go\")\n"+`fmt.Println("fin")`)
	require.Equal(t, "début\nfin\n", res.Output)
	mu.Lock()
	require.Equal(t, res.Output, streamed.String())
	mu.Unlock()

	res = good(t, s, `for i := 0; i < 200000; i++ { fmt.Println("línea", i) }`)
	require.LessOrEqual(t, len(res.Output), 1000+100)
	require.True(t, strings.HasPrefix(res.Output, "línea 0\nlínea 1\n"))
	require.True(t, strings.HasSuffix(res.Output, "línea 199998\nlínea 199999\n"))
	require.Contains(t, res.Output, "cut out here")
	total := 0
	for i := range 200000 {
		total += len(fmt.Sprintln("línea", i))
	}
	shown := len(res.Output) - len(fmt.Sprintf("\n[… %d bytes of output cut out here …]\n", res.Truncated))
	require.EqualValues(t, total, int64(shown)+res.Truncated)
	require.Equal(t, res.Output, strings.ToValidUTF8(res.Output, "?"), "no character is cut in two")
}

func TestContextIsSharedByReference(t *testing.T) {
	t.Parallel()
	const all = "alpha document|beta document"
	c := text(t, "xx"+all, sandbox.DocRange{Name: "a", Size: 14}, sandbox.DocRange{Name: "b", Offset: 15, Size: 13})
	c.Offset, c.Size = 2, int64(len(all))
	var got []sandbox.TextArg
	s := start(t, sandbox.Config{
		Context: c,
		History: []string{"an earlier question"},
		Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
			got = c.Text
			return sandbox.Reply{Body: []byte("ok")}
		},
	})
	require.Equal(t, all+" 28\n", good(t, s, "fmt.Println(context, len(context))").Output)
	require.Equal(t, "2 b beta document\n", good(t, s, "fmt.Println(len(docs), docs[1].Name, docs[1].Text)").Output)
	require.Equal(t, "an earlier question\n", good(t, s, "fmt.Println(history[0])").Output)
	good(t, s, `rlm_query("read", context[6:14], strings.ToUpper(context[:5]))`)
	require.Equal(t, []sandbox.TextArg{
		{InContext: true, Offset: 6, Size: 8},
		{Bytes: []byte("ALPHA")},
	}, got, "a piece of the context travels as a range")
	require.Contains(t, run(t, s, `p := unsafe.StringData(context); *p = 'X'; fmt.Println(context)`).Error.Error(),
		"unsafe")
}

func TestContextChangesBetweenCells(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Context: text(t, "the first text")})
	good(t, s, "old := context[4:9]")
	require.NoError(t, s.SetContext(t.Context(), text(t, "the second text"), []string{"q1"}))
	require.Equal(t, "the second text first q1\n", good(t, s, "fmt.Println(context, old, history[0])").Output)
	kill(t, s)
	require.Equal(t, "the second text first q1\n", good(t, s, "fmt.Println(context, old, history[0])").Output,
		"also after a replay")
	require.Error(t, s.SetContext(t.Context(), sandbox.Context{Size: 10}, nil))
}

// kill makes the session's worker die.
func kill(t *testing.T, s *sandbox.Session) {
	t.Helper()
	res := run(t, s, "func() { var mu sync.RWMutex; mu.Unlock() }()") // ends the process in any engine
	require.NotNil(t, res.Error)
	require.NotNil(t, res.Restore, "the worker lives on")
	require.Empty(t, res.Restore.Losses())
	s.BeginRun()
}

func TestConfigurationsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]sandbox.Config{
		"level":            {Level: "paranoid"},
		"no file":          {Context: sandbox.Context{Size: 5}},
		"range too long":   {Context: sandbox.Context{File: text(t, "abc").File, Size: 5}},
		"negative":         {Context: sandbox.Context{File: text(t, "abc").File, Size: -1}},
		"doc outside":      {Context: text(t, "abc", sandbox.DocRange{Name: "d", Offset: 2, Size: 2})},
		"unknown builtin":  {Builtins: []builtins.Spec{{Name: "x", Impl: "there is no such thing"}}},
		"two of one name":  {Builtins: []builtins.Spec{{Name: "a", Impl: "llm_query"}, {Name: "a", Impl: "FINAL"}}},
		"tool, not Go":     {Builtins: []builtins.Spec{{Name: "t", Impl: "tool", Params: []string{"x not a type!"}}}},
		"negative offset":  {Context: sandbox.Context{File: text(t, "abc").File, Offset: -1, Size: 1}},
		"doc that reaches": {Context: text(t, "abc", sandbox.DocRange{Name: "d", Offset: 1 << 62, Size: 1 << 62})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sandbox.New(t.Context(), cfg)
			if err == nil {
				_ = s.Close()
			}
			require.Error(t, err)
		})
	}
}

func TestClosedSessions(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err := s.Run(t.Context(), sandbox.Cell{Source: "1"})
	require.ErrorContains(t, err, "closed")
	_, err = s.Vars(t.Context())
	require.ErrorContains(t, err, "closed")
}

func TestCallsGetRepliesErrorsAndTheEnd(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := start(t, sandbox.Config{Call: func(_ context.Context, c sandbox.Call) sandbox.Reply {
		calls.Add(1)
		switch string(c.Body) {
		case "fail":
			return sandbox.Reply{Error: "the model is asleep"}
		case "budget":
			return sandbox.Reply{Unwind: true, Error: "no budget is left"}
		}
		return sandbox.Reply{Body: c.Body}
	}})
	require.Equal(t, "\"\\xff\\x00binary\"\n", good(t, s, `fmt.Printf("%q\n", llm_query("\xff\x00binary"))`).Output)
	res := run(t, s, `x := 1
llm_query("fail")`)
	require.Equal(t, cellerror.Panic, res.Error.Kind)
	require.Contains(t, res.Error.Message, "the model is asleep")
	res = run(t, s, "for { func() { defer func() { recover() }(); llm_query(\"budget\") }() }")
	require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind, res.Error.Message)
	require.Contains(t, res.Error.Message, "no budget is left")
	res = good(t, s, `out := make([]string, 300)
var wg sync.WaitGroup
for i := range out { wg.Add(1); go func() { defer wg.Done(); out[i] = llm_query(fmt.Sprint("p", i)) }() }
wg.Wait()
fmt.Println(out[0], out[299])`)
	require.Equal(t, "p0 p299\n", res.Output)
	require.Len(t, res.Calls, 300)
}

func TestPromptsAndAnswersThatAreTooLong(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{Limits: sandbox.Limits{Prompt: 1000, Answer: 1000, Source: 2000, Text: 1000}})
	res := run(t, s, `llm_query(strings.Repeat("x", 1001))`)
	require.Contains(t, res.Error.Message, "split the text")
	res = run(t, s, `rlm_query("q", strings.Repeat("x", 1001))`)
	require.Contains(t, res.Error.Message, "slice of context")
	res = run(t, s, `FINAL(strings.Repeat("x", 1001))`)
	require.Nil(t, res.Final)
	require.Contains(t, res.Error.Message, "answer with the essence")
	res = run(t, s, "x := `"+strings.Repeat("x", 2000)+"`")
	require.Contains(t, res.Error.Message, "2007 bytes")
	require.Nil(t, res.Restore)
	require.NotNil(t, good(t, s, `FINAL(strings.Repeat("x", 1000))`).Final)
}

func TestFinalEndsTheCellForGood(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"plain":        "FINAL(42)\nfmt.Println(\"after\")",
		"recovered":    "func() { defer func() { recover() }(); FINAL(42) }()\nFINAL(43)",
		"deferred":     "func() { defer func() { FINAL(43) }(); FINAL(42) }()",
		"in goroutine": "done := make(chan int)\ngo func() { defer close(done); FINAL(42) }()\n<-done\nFINAL(43)",
		"in sort":      "s := []int{3, 1, 2}\nsort.Slice(s, func(i, j int) bool { FINAL(42); return s[i] < s[j] })\nFINAL(43)",
		"loops on":     "func() { defer func() { for {} }(); FINAL(42) }()",
		"then calls":   "func() { defer func() { llm_query(\"more\") }(); FINAL(42) }()",
		"then dies":    "func() { defer func() { var f func(int) int; f = func(n int) int { return f(n+1) + 1 }; f(0) }(); FINAL(42) }()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := start(t, sandbox.Config{Call: func(context.Context, sandbox.Call) sandbox.Reply {
				asked.Add(1)
				return sandbox.Reply{}
			}})
			good(t, s, "before := 7")
			res := good(t, s, source)
			require.NotNil(t, res.Final)
			require.Equal(t, "42", res.Final.Answer)
			require.NotContains(t, res.Output, "after")
			require.Zero(t, asked.Load(), "nothing is paid for after the answer")
			require.Equal(t, "7\n", good(t, s, "fmt.Println(before)").Output, "the session goes on")
		})
	}
}
