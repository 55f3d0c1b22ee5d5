// Package enginetest tests an engine: what every engine must do with cells and notebooks, and whether programs
// print the same as when the real compiler compiles them. A new engine passes if its tests call
//
//	func TestMain(m *testing.M) { enginetest.Main(m, newEngine) }
//	func TestEngine(t *testing.T) { enginetest.Contract(t, newEngine) }
//	func TestCells(t *testing.T)  { enginetest.Cells(t, newEngine, "exact") }
//
// and, for long runs (RLM_LONG=1), Goroot and Random. testdata/known lists what an engine does not do.
package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// Maker makes the engine under test.
type Maker func(engine.Host) (engine.Engine, error)

// Notebook is a session of cells without the additions of package repl. Its cells may call
//
//	llm_query(prompt string) string   returns "ans(" and the first characters of the prompt
//	stop(name string)                 ends the calling goroutine, as FINAL does, and records name in Stopped
//	stale() bool                      asks the engine whether the caller belongs to an earlier run
type Notebook struct {
	Front  *check.Session
	Engine engine.Engine
	// Out is the output of cells.
	Out *Output
	// Context is the variable context of cells.
	Context string
	// Conditions are the conditions of the next run.
	Conditions engine.Conditions

	mu      sync.Mutex
	stopped []string
	exits   []int
	step    int
}

// Output collects what programs print, including their goroutines.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the output.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

// String returns the output since the last Take.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// Take returns and clears the output.
func (o *Output) Take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.b.Reset()
	return o.b.String()
}

var sharedImporter = sync.OnceValues(stdlib.NewImporter)

// SampleContext returns the context for which the cells of testdata were written.
func SampleContext() string {
	var b strings.Builder
	for i := range 23 {
		fmt.Fprintf(&b, "Line of context number %s\n", strings.Repeat("x", i%5))
	}
	return b.String()
}

// NewNotebook starts a session with a new engine.
func NewNotebook(t testing.TB, make Maker) *Notebook {
	t.Helper()
	im, err := sharedImporter()
	require.NoError(t, err)
	nb := &Notebook{Out: &Output{}, Context: SampleContext(), Conditions: engine.Conditions{Seed: 1, Now: time.Now}}
	values := map[string]any{
		"llm_query": func(p string) string { return "ans(" + p[:min(12, len(p))] + ")" },
		"stop": func(name string) {
			nb.mu.Lock()
			nb.stopped = append(nb.stopped, name)
			nb.mu.Unlock()
			nb.Engine.Unwind()
		},
		"stale":        func() bool { return nb.Engine.Stale() },
		check.ShowName: func(...any) {}, check.ShowName + check.SiteSuffix: func(int, ...any) {},
		check.CalledName: func(string) {},
	}
	builtins := []check.Builtin{
		{Name: check.ShowName, Type: reflect.TypeFor[func(int, ...any)](), Skip: 1, Sited: true},
	}
	for _, name := range []string{"llm_query", "stop", "stale", check.CalledName} {
		builtins = append(builtins,
			check.Builtin{Name: name, Type: reflect.TypeOf(values[name]), Signal: name == "stop"})
	}
	session, natives, err := check.NewSession(
		im, builtins, map[string]any{"context": &nb.Context, check.StepName: &nb.step})
	require.NoError(t, err)
	for i, n := range natives {
		if f := values[n.Name]; f != nil {
			natives[i].Value = reflect.ValueOf(f)
		}
	}
	nb.Front = session
	nb.Engine, err = make(engine.Host{Stdout: nb.Out, Natives: natives, Exit: nb.exit, Grace: engine.Grace})
	require.NoError(t, err)
	return nb
}

func (nb *Notebook) exit(code int) {
	nb.mu.Lock()
	nb.exits = append(nb.exits, code)
	nb.mu.Unlock()
	nb.Engine.Unwind()
}

// Stopped returns the arguments of all calls of stop, in order.
func (nb *Notebook) Stopped() []string {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	return nb.stopped
}

// Run runs a cell. The error is from the front end, or a refusal.
func (nb *Notebook) Run(number int, source string) (engine.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return nb.RunContext(ctx, number, source)
}

// RunContext runs a cell until ctx is done.
func (nb *Notebook) RunContext(ctx context.Context, number int, source string) (engine.Outcome, error) {
	checked, err := nb.Front.Check(number, source)
	if err != nil {
		return engine.Outcome{}, err
	}
	p, err := nb.Engine.Load(checked.Unit)
	if err != nil {
		return engine.Outcome{}, err
	}
	nb.Front.Commit(checked.Change)
	nb.Conditions.Sentinel = &answer.Sentinel{Cell: number}
	return nb.Engine.Run(ctx, p, nb.Conditions), nil
}

// ok runs a cell that must end normally, and returns its output.
func (nb *Notebook) ok(t *testing.T, number int, source string) string {
	t.Helper()
	out, err := nb.Run(number, source)
	nb.leaves(t, out, err)
	require.NoError(t, err, source)
	require.Nil(t, out.Panic, source)
	require.False(t, out.Cancelled, source)
	require.True(t, out.Sound, source)
	return nb.Out.Take()
}

// leaves skips the test if yaegi refuses the cell or the cell panics in yaegi, because then the exact engine runs
// the cell.
func (nb *Notebook) leaves(t *testing.T, out engine.Outcome, err error) {
	t.Helper()
	var refused *engine.RefusedError
	switch yaegi := strings.HasSuffix(fmt.Sprintf("%T", nb.Engine), "yaegi.Engine"); {
	case yaegi && errors.As(err, &refused):
		t.Skip("yaegi leaves it to the exact engine:", err)
	case yaegi && out.Inexact:
		require.NotNil(t, out.Panic)
		t.Skip("yaegi leaves it to the exact engine:", out.Panic)
	}
}
