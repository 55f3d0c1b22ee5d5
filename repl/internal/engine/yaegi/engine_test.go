package yaegi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// runCell runs one cell of a notebook that must pass the front end and the engine.
func runCell(t *testing.T, nb *notebook, number int, source string) engine.Outcome {
	t.Helper()
	out, err := nb.run(number, source)
	require.NoError(t, err, source)
	return out
}

func TestPanicsNameTheirPlace(t *testing.T) {
	for _, c := range []struct {
		name, source, text, typ string
		line                    int
	}{
		{"index", "xs := []int{1, 2, 3}\nn := 5\nfmt.Println(xs[n])", "runtime error: index out of range [5] with length 3", "runtime.errorString", 3},
		{"nil map", "var m map[string]int\n\nm[\"a\"] = 1", "assignment to entry in nil map", "", 3},
		{"nil pointer", "type T struct{ X int }\nvar p *T\nfmt.Println(p.X)", "runtime error: invalid memory address or nil pointer dereference", "", 3},
		{"division", "a, b := 1, 0\nfmt.Println(a / b)", "runtime error: integer divide by zero", "", 2},
		{"conversion", "var x any = \"s\"\n_ = x.(int)", "interface conversion: interface {} is string, not int", "", 2},
		{"own value", "type E struct{ N int }\npanic(E{4})", "{4}", "main.E", 2},
		{"in a function", "func f(n int) int {\n\treturn []int{1}[n]\n}\nf(3)", "runtime error: index out of range [3] with length 1", "", 2},
		{"in a callback", "xs := []int{2, 1}\nsort.Slice(xs, func(i, j int) bool {\n\tpanic(\"less\")\n})", "less", "string", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := runCell(t, newNotebook(t), 1, c.source)
			require.NotNil(t, out.Panic)
			text := strings.TrimSpace(sprint(out.Panic))
			require.Equal(t, c.text, text)
			require.Equal(t, c.line, out.Line)
			require.True(t, out.Sound)
			if c.typ != "" {
				require.Equal(t, c.typ, out.PanicType)
			}
		})
	}
}

func TestPanicListsAtMostTenFrames(t *testing.T) {
	out := runCell(t, newNotebook(t), 1, "func down(n int) int {\n\tif n == 0 {\n\t\tpanic(\"bottom\")\n\t}\n\treturn down(n-1) + 1\n}\ndown(30)")
	require.Equal(t, "bottom", sprint(out.Panic))
	require.LessOrEqual(t, len(out.Frames), 10)
	require.NotEmpty(t, out.Frames)
	require.Contains(t, out.Frames[0], "down")
}

func TestFramesOfARecoveredPanicAreForgotten(t *testing.T) {
	out := runCell(t, newNotebook(t), 1, "func risky() { panic(1) }\nfunc safe() {\n\tdefer func() { recover() }()\n\trisky()\n}\nsafe()\nfunc last() { panic(2) }\nlast()")
	require.Equal(t, "2", sprint(out.Panic))
	require.Equal(t, "last", out.Frames[0])
	require.NotContains(t, out.Frames, "risky")
}

func TestVariablesSurviveAPanic(t *testing.T) {
	nb := newNotebook(t)
	out := runCell(t, nb, 1, "x := 7\nvar xs []int\nxs[x] = 1")
	require.NotNil(t, out.Panic)
	runCell(t, nb, 2, "fmt.Println(x)")
	require.Equal(t, "7\n", nb.out.String())
}

func TestGoroutinePanicIsTheCells(t *testing.T) {
	out := runCell(t, newNotebook(t), 1, "done := make(chan bool)\ngo func() {\n\tpanic(\"in a goroutine\")\n}()\n<-done")
	require.True(t, out.Goroutine)
	require.Equal(t, "in a goroutine", sprint(out.Panic))
	require.Equal(t, 3, out.Line)
	require.False(t, out.Sound, "the cell waited for the goroutine and had to be ended")
}

func TestCancelEndsALoopAndTheSession(t *testing.T) {
	for _, source := range []string{"for {\n}", "n := 0\nfor i := 0; ; i++ {\n\tn += i\n}", "<-make(chan int)", "select {}", "time.Sleep(time.Hour)"} {
		nb := newNotebook(t)
		checked, err := nb.front.Check(1, source)
		require.NoError(t, err)
		p, err := nb.engine.Load(checked.Unit)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		out := nb.engine.Run(ctx, p, engine.Conditions{})
		cancel()
		require.True(t, out.Cancelled, source)
		require.False(t, out.Sound, source)
	}
}

func TestRefusalsSayWhatToWriteInstead(t *testing.T) {
	for _, source := range []string{
		"type A struct{ B []B }\ntype B struct{ A []A }\nfmt.Println(A{})",
		"type L []L\nfmt.Println(L{})",
		"var p atomic.Pointer[int]\nfmt.Println(p.Load())",
		"type T struct{ X int32 }\nbinary.Write(&bytes.Buffer{}, binary.LittleEndian, T{1})",
		"xs := []int{1, 2}\nfmt.Println([2]int(xs))",
	} {
		nb := newNotebook(t)
		_, err := nb.run(1, source)
		var refused *engine.Refused
		require.ErrorAs(t, err, &refused, source)
		require.NotEmpty(t, refused.Construct)
		require.NotEmpty(t, refused.Why)
		require.NotEmpty(t, refused.Instead)
		runCell(t, nb, 2, "fmt.Println(\"still here\")")
		require.Equal(t, "still here\n", nb.out.String())
	}
}

func TestNothingReachesTheDisk(t *testing.T) {
	e, err := New(engine.Host{Stdout: &lockedBuffer{}})
	require.NoError(t, err)
	for _, path := range []string{"./engine", "os/exec", "syscall", "unsafe", "reflect", "runtime", "plugin", "net", "github.com/traefik/yaegi/interp"} {
		_, err := e.interp.Eval("import \"" + path + "\"")
		require.Error(t, err, path)
	}
}

func TestConditionsRepeat(t *testing.T) {
	source := "fmt.Println(time.Now().Unix(), rand.Intn(1000000), time.Since(time.Unix(0, 0)))"
	var texts []string
	for range 2 {
		nb := newNotebook(t)
		checked, err := nb.front.Check(1, source)
		require.NoError(t, err)
		p, err := nb.engine.Load(checked.Unit)
		require.NoError(t, err)
		out := nb.engine.Run(context.Background(), p, engine.Conditions{Seed: 3, Now: func() time.Time { return time.Unix(100, 0) }})
		require.Nil(t, out.Panic)
		texts = append(texts, nb.out.String())
	}
	require.Equal(t, texts[0], texts[1])
	require.True(t, strings.HasPrefix(texts[0], "100 "))
}

func TestAGoroutinesPanicLeavesTheOthersAndTheSession(t *testing.T) {
	nb := newNotebook(t)
	out := runCell(t, nb, 1, `var mu sync.Mutex
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
	require.True(t, out.Goroutine)
	require.True(t, out.Sound)
	require.Equal(t, "boo", sprint(out.Panic))
	require.Equal(t, 9, out.Line)
	require.Equal(t, "main goes on 5\n", nb.out.String())
	out = runCell(t, nb, 2, "fmt.Println(sum)")
	require.Nil(t, out.Panic)
	require.Equal(t, "main goes on 5\n5\n", nb.out.String())
}
