package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"iter"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// misbehaviours are what a function of the embedding program may do instead of returning.
var misbehaviours = map[string]func(hang <-chan struct{}){
	"panics":                  func(<-chan struct{}) { panic("on purpose") },
	"panics with an error":    func(<-chan struct{}) { panic((*llm.Error)(nil)) },
	"panics with nil":         func(<-chan struct{}) { panic(nil) },
	"ends its goroutine":      func(<-chan struct{}) { runtime.Goexit() },
	"does not look at a time": func(hang <-chan struct{}) { <-hang },
}

// owned is a model of the embedding program.
type owned struct {
	name     func() string
	generate func(on func(llm.Delta)) (llm.Response, error)
}

func (m owned) Name() string { return m.name() }
func (m owned) Generate(_ context.Context, _ llm.Request, on func(llm.Delta)) (llm.Response, error) {
	return m.generate(on)
}

func named() string { return "own" }

// calling returns a runner whose first cell calls the function tool.
func calling(t *testing.T, opts ...runner.Option) *runner.Runner {
	return newRunner(t, root([]string{fence(`FINAL(tool("x"))`), fence(`FINAL("without")`)}, nil), opts...)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type readerAtFunc func([]byte) (int, error)

func (f readerAtFunc) ReadAt(p []byte, _ int64) (int, error) { return f(p) }

type transportFunc func()

func (f transportFunc) RoundTrip(*http.Request) (*http.Response, error) {
	f()
	return nil, errors.New("no network")
}

type storeFunc func([]trajectory.Event) error

func (f storeFunc) Commit(events []trajectory.Event) error { return f(events) }

type quotaFuncs struct {
	acquire func(host.Reservation) (host.Reservation, error)
	release func()
}

func (q quotaFuncs) Acquire(_ context.Context, r host.Reservation) (host.Reservation, error) {
	return q.acquire(r)
}
func (q quotaFuncs) Release(host.Reservation, float64) { q.release() }

func outside(
	call func(context.Context, json.RawMessage, runner.DocumentReader) (runner.OutsideResult, error),
) runner.Option {
	return runner.WithOutsideTools(func(context.Context) ([]runner.OutsideTool, error) {
		input := json.RawMessage(`{"type":"object","properties":{"s":{"type":"string"}},"required":["s"]}`)
		return []runner.OutsideTool{{Server: "s", Name: "tool", Input: input, Call: call}}, nil
	})
}

// callback is a parameter of the public API whose function the library calls in its own goroutines, or while a
// run's time counts.
type callback struct {
	with   func(do func()) []runner.Option // options with a misbehaving function
	in     func(do func()) runner.Input
	passes bool // the calling cell fails, and the run continues
}

// places are all callbacks of the public API, by the name of the parameter; see TestFunctionsOfTheEmbeddingProgram.
var places = map[string]callback{
	"runner.WithTool.fn": {passes: true, with: func(do func()) []runner.Option {
		return []runner.Option{runner.WithTool("tool", "", func(s string) string { do(); return s })}
	}},
	"runner.OutsideTool.Call": {passes: true, with: func(do func()) []runner.Option {
		return []runner.Option{outside(
			func(context.Context, json.RawMessage, runner.DocumentReader) (r runner.OutsideResult, err error) {
				do()
				return r, err
			})}
	}},
	"runner.WithOutsideTools.list": {with: func(do func()) []runner.Option {
		return []runner.Option{runner.WithOutsideTools(
			func(context.Context) ([]runner.OutsideTool, error) { do(); return nil, nil })}
	}},
	"runner.WithStop.stop": {with: func(do func()) []runner.Option {
		return []runner.Option{runner.WithStop(func(runner.State) (string, bool) { do(); return "", false })}
	}},
	"runner.WithEvents.read": {with: func(do func()) []runner.Option {
		return []runner.Option{runner.WithEvents(func(_ string, events iter.Seq[trajectory.Event]) {
			for range events {
				do()
			}
		})}
	}},
	"host.Reading.progress": {with: func(do func()) []runner.Option {
		return []runner.Option{host.Reading(func(trajectory.Reading) { do() })}
	}, in: func(func()) runner.Input {
		return runner.Reader("r",
			readerFunc(func(p []byte) (int, error) { return copy(p, "text that never ends\n"), nil }))
	}},
	"runner.New.model": {with: func(do func()) []runner.Option {
		return []runner.Option{runner.WithModel(
			owned{named, func(func(llm.Delta)) (r llm.Response, err error) { do(); return r, err }})}
	}},
	"runner.WithSubModel.m": {passes: true, with: func(do func()) []runner.Option {
		sub := owned{named, func(func(llm.Delta)) (r llm.Response, err error) { do(); return r, err }}
		return []runner.Option{
			runner.WithSubModel(sub),
			runner.WithTool("tool", "", func(s string) string { return s }), runner.WithModel(root([]string{
				fence(`FINAL(llm_query("x"))`), fence(`FINAL("without")`),
			}, nil)),
		}
	}},
	"runner.Reader.r": {in: func(do func()) runner.Input {
		return runner.Reader("r", readerFunc(func([]byte) (int, error) { do(); return 0, io.EOF }))
	}},
	"llm.Config.HTTPClient": {with: func(do func()) []runner.Option {
		m, err := llm.New(llm.Config{
			Model: "m", BaseURL: "http://127.0.0.1:1", Tries: 1, HTTPClient: &http.Client{Transport: transportFunc(do)},
		})
		if err != nil {
			panic(err)
		}
		return []runner.Option{runner.WithModel(m)}
	}},
	"runner.TextFrom.text": {in: func(do func()) runner.Input {
		return runner.TextFrom("t",
			io.NewSectionReader(readerAtFunc(func([]byte) (int, error) { do(); return 0, io.EOF }), 0, 100))
	}},
	"host.Limit.limit": {with: func(do func()) []runner.Option {
		return []runner.Option{host.Limit(
			func() (s termination.Status, used, bound string) { do(); return s, used, bound })}
	}},
	"host.Share.q": {with: func(do func()) []runner.Option {
		return []runner.Option{host.Share(
			quotaFuncs{func(r host.Reservation) (host.Reservation, error) { do(); return r, nil }, func() {}})}
	}},
	"host.Store.s": {with: func(do func()) []runner.Option {
		return []runner.Option{
			runner.WithRunID("one"),
			host.Store(storeFunc(func([]trajectory.Event) error { do(); return nil })),
		}
	}},
}

// elsewhere lists parameters whose functions are called in the caller's own goroutine or passed on to one that is
// tested above.
var elsewhere = map[string]string{
	"runner.ConvertFile.read": "TestConvertFileWithAReaderThatMisbehaves",
	"runner.WithModel.m":      "runner.New.model", "runner.WithModels.models": "runner.WithSubModel.m",
	"runner.Recording.live":   "runner.New.model",
	"runner.Retraced.events":  "the caller's goroutine",
	"runner.Recording.events": "the caller's goroutine", "runner.Collect.events": "the caller's goroutine",
	"host.Look.again":     "the caller's goroutine",
	"runner.WithHost.set": "the caller's goroutine", "runner.WithTool.opts": "the caller's goroutine",
	"runner.New.opts":      "the caller's goroutine",
	"host.Past.Continue.r": "no function", "runner.TablePage.Rows": "no function",
	// The client calls functions for updates in its own goroutine; TestAFunctionForUpdatesThatPanics of package llm
	// checks that. Functions that a model calls run during its call.
	"llm.Client.Generate.on": "package llm", "llm.Fallback.Generate.on": "llm.Client.Generate.on",
	"llm.RecordedModel.Generate.on": "the caller's goroutine",
	"llm.ScriptedModel.Generate.on": "the caller's goroutine", "llm.Config.Pace": "runner.New.model",
	"llm.FactsOf.m":         "the caller's goroutine",
	"llm.NewFallback.first": "runner.New.model", "llm.NewFallback.rest": "runner.New.model",
	"llm.NewRecorded.live":   "runner.New.model",
	"llm.ScriptedFunc.reply": "runner.New.model", "mcp.Options.Ask": "runner.OutsideTool.Call",
}

// Whatever a function of the embedding program does becomes an error of the run or of the calling cell: no panic
// leaves the library, nobody waits for a function that ended its goroutine, and deadlines are kept.
func TestFunctionsOfTheEmbeddingProgram(t *testing.T) {
	t.Parallel()
	for name, p := range places {
		for what, do := range misbehaviours {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				hang := make(chan struct{})
				t.Cleanup(func() { close(hang) })
				hangs := what == "does not look at a time"
				misbehave := func() { do(hang) }
				opts, inputs := []runner.Option{}, []runner.Input{runner.Text("t", "a text")}
				if p.in != nil {
					inputs = []runner.Input{p.in(misbehave)}
				}
				if p.with != nil {
					opts = p.with(misbehave)
				}
				r := calling(t, opts...)
				ctx := timeout(t)
				if hangs {
					soon, cancel := context.WithTimeout(ctx, 2*time.Second)
					defer cancel()
					ctx = soon
				}
				res, err := r.Answer(ctx, "q", inputs...)
				switch end, _ := ctx.Deadline(); {
				case hangs:
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Less(t, time.Since(end), 5*time.Minute, "a hanging function would keep it for ever")
				case p.passes:
					require.NoError(t, err)
					require.Equal(t, "without", res.Answer)
					require.NotNil(t, res.Cells[0].Error)
				case res.Status == termination.CostLimit: // the quota's function does not return
				default:
					require.Error(t, err)
				}
			})
		}
	}
}

// Every function that the public API takes is in one of the two tables.
func TestEveryFunctionOfThePublicAPIIsTried(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...").Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	imp := importer.ForCompiler(
		token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, path := range []string{"runner", "runner/host", "runner/llm", "runner/mcp"} {
		path = "github.com/gorlm/rlm/" + path
		pkg, err := imp.Import(path)
		require.NoError(t, err)
		for _, name := range functionsTaken(pkg) {
			_, tried := places[name]
			_, reason := elsewhere[name]
			assert.True(t, tried || reason, "%s takes a function of the embedding program: add it to places", name)
		}
	}
}

// functionsTaken returns the parameters and fields of a package's public API that contain functions of the
// embedding program, including methods.
func functionsTaken(pkg *types.Package) (names []string) {
	var takes func(types.Type) bool
	takes = func(t types.Type) bool {
		if named, ok := types.Unalias(t).(*types.Named); ok &&
			slices.Contains([]string{"Option", "ToolOption", "Context", "error"}, named.Obj().Name()) {
			return false // nil options are tested in TestOddOptionsAreRefused
		}
		switch t := t.Underlying().(type) {
		case *types.Signature, *types.Interface:
			return true
		case *types.Slice:
			return takes(t.Elem())
		case *types.Pointer: // *io.SectionReader reads from an interface
			return types.TypeString(t, nil) == "*io.SectionReader" || types.TypeString(t, nil) == "*net/http.Client"
		}
		return false
	}
	add := func(name string, v *types.Var) {
		if takes(v.Type()) {
			names = append(names, pkg.Name()+"."+name+"."+v.Name())
		}
	}
	parameters := func(name string, f types.Object) {
		for v := range f.Type().(*types.Signature).Params().Variables() {
			add(name, v)
		}
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
			parameters(name, obj)
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok {
				for m := range named.Methods() {
					if m.Exported() {
						parameters(name+"."+m.Name(), m)
					}
				}
			}
			if s, ok := obj.Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f.Exported() {
						add(name, f)
					}
				}
			}
		}
	}
	return names
}

// Invalid options are errors of New; an invalid input is an error of the run.
func TestOddOptionsAreRefused(t *testing.T) {
	t.Parallel()
	var typedNil *llm.Client
	nan := math.NaN()
	for what, opt := range map[string]runner.Option{
		"no option": nil, "no model": runner.WithModel(nil), "no sub-model": runner.WithSubModel(nil),
		"no model by name": runner.WithModels(nil),
		"a typed nil":      runner.WithModel(typedNil), "no reader": runner.WithEvents(nil),
		"no lister":           runner.WithOutsideTools(nil),
		"a tool that is none": runner.WithTool("tool", "", nil),
		"a nil function":      runner.WithTool("tool", "", (func())(nil)),
		"an endless cost":     runner.WithBudgets(runner.Budgets{Cost: math.Inf(1)}),
		"a cost of NaN":       runner.WithBudgets(runner.Budgets{Cost: nan}),
		"a temperature of NaN": runner.WithCallSettings(
			runner.CallSettings{Temperature: &nan}, runner.CallSettings{}),
		"replies of less than 0":   runner.WithCallSettings(runner.CallSettings{}, runner.CallSettings{MaxTokens: -1}),
		"a price of NaN":           runner.WithPrices(llm.Prices{"m": {Input: nan}}),
		"a negative price":         runner.WithPrices(llm.Prices{"m": {Output: -1}}),
		"a negative window":        runner.WithWindows(-1, 0),
		"metadata that is no JSON": runner.WithMetadata(json.RawMessage("{")),
		"an unknown level":         runner.WithSandbox("bogus", sandbox.Limits{}),
		"a name that panics":       runner.WithModel(owned{func() string { panic("on purpose") }, nil}),
	} {
		_, err := runner.New(llm.NewScripted("s"), runner.WithDataDir(t.TempDir()), opt)
		require.Error(t, err, what)
	}
	for what, in := range map[string]runner.Input{
		"nothing": {}, "no reader": runner.Reader("r", nil), "a nil reader": runner.Reader("r", (*bytes.Buffer)(nil)),
	} {
		_, err := newRunner(t, llm.NewScripted("s", fence(`FINAL(1)`))).Answer(timeout(t), "q", in)
		require.ErrorContains(t, err, "input 1 is empty", what)
	}
	_, err := new(runner.Runner).Answer(timeout(t), "q")
	require.ErrorContains(t, err, "created with runner.New")
}

// A model of the embedding program may report anything: implausible numbers are estimated, and yield no cost.
func TestOddNumbersOfAModel(t *testing.T) {
	t.Parallel()
	for _, cost := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5} {
		for _, tokens := range []int64{-100, math.MaxInt64, math.MinInt64} {
			used := llm.Usage{Prompt: tokens, Completion: tokens, Cached: tokens, Wasted: tokens}
			r := newRunner(t, owned{named, func(on func(llm.Delta)) (llm.Response, error) {
				on(llm.Delta{Retry: &llm.Retry{}, Waste: llm.Waste{Usage: used, Cost: &cost}})
				return llm.Response{
					Content: fence(`FINAL("x")`), Usage: used, Cost: &cost,
					Waste: llm.Waste{Usage: used, Cost: &cost}, Attempts: -1, Duration: -1,
				}, nil
			}})
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err, fmt.Sprint(cost, tokens))
			require.Equal(t, "x", res.Answer)
			u := res.Usage["own"]
			require.True(t, u.Estimated)
			require.Positive(t, u.Prompt)
			require.Less(t, u.Prompt+u.Completion+u.Wasted, int64(100_000))
			require.Nil(t, res.Cost)
		}
	}
}

// A typed nil pointer as an error, a common mistake in Go, is reported as such.
func TestTypedNilErrors(t *testing.T) {
	t.Parallel()
	for what, failed := range map[string]error{
		"alone": (*llm.Error)(nil), "wrapped": fmt.Errorf("wrapped: %w", (*llm.Error)(nil)),
		"joined": errors.Join((*llm.Error)(nil)),
	} {
		_, err := newRunner(t, owned{
			named,
			func(func(llm.Delta)) (llm.Response, error) { return llm.Response{}, failed },
		}).Answer(timeout(t), "q")
		require.ErrorContains(t, err, "whose methods panic", what)
		res, err := calling(t, runner.WithTool("tool", "", func(string) (string, error) { return "", failed })).Answer(
			timeout(t), "q")
		require.NoError(t, err, what)
		require.Contains(t, res.Cells[0].Error.Message, "whose methods panic", what)
	}
}

// If a quota does not return from releasing a reservation, the run does not wait for it, because the reply is paid
// for.
func TestAQuotaThatTakesNothingBack(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for what, do := range misbehaviours {
		acquire := func(r host.Reservation) (host.Reservation, error) { return r, nil }
		r := newRunner(t, root([]string{fence(`FINAL("x")`)}, nil),
			host.Share(quotaFuncs{acquire, func() { do(hang) }}))
		res, err := r.Answer(timeout(t), "q")
		require.NoError(t, err, what)
		require.Equal(t, "x", res.Answer, what)
	}
}

func TestConvertFileWithAReaderThatMisbehaves(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte("<html><p>A page.</p></html>"), 0o600))
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for what, do := range misbehaviours {
		ctx, cancel := context.WithTimeout(timeout(t), 3*time.Second)
		err := runner.ConvertFile(ctx, path, func(*io.SectionReader) error {
			do(hang)
			return nil
		}, nil, runner.WithSandbox(sandbox.Basic, sandbox.Limits{}))
		cancel()
		require.Error(t, err, what)
	}
}
