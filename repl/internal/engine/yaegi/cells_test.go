package yaegi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// notebook is a session of cells without what package repl adds to it.
type notebook struct {
	front  *check.Session
	engine *Engine
	out    lockedBuffer
	step   int
}

// sampleContext is what the cells of testdata/cells call context.
func sampleContext() string {
	var b strings.Builder
	for i := range 23 {
		fmt.Fprintf(&b, "Line of context number %s\n", strings.Repeat("x", i%5))
	}
	return b.String()
}

func newNotebook(t testing.TB) *notebook {
	im, err := sharedImporter()
	if err != nil {
		t.Fatal(err)
	}
	text := sampleContext()
	query := func(p string) string { return "ans(" + p[:min(12, len(p))] + ")" }
	nb := &notebook{}
	values := map[string]any{
		"llm_query": query, check.ShowName: func(...any) {}, check.ShowName + check.SiteSuffix: func(int, ...any) {}, check.CalledName: func(string) {},
	}
	session, natives, err := check.NewSession(im, []check.Builtin{
		{Name: "llm_query", Type: reflect.TypeOf(query)},
		{Name: check.ShowName, Type: reflect.TypeOf(func(int, ...any) {}), Skip: 1, Sited: true},
		{Name: check.CalledName, Type: reflect.TypeOf(func(string) {})},
	}, map[string]any{"context": &text, check.StepName: &nb.step})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range natives {
		if f := values[n.Name]; f != nil {
			natives[i].Value = reflect.ValueOf(f)
		}
	}
	nb.front = session
	nb.engine, err = New(engine.Host{Stdout: &nb.out, Natives: natives, Exit: func(int) { runtime.Goexit() }})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// run runs a cell; the error is one of the front end or a refusal.
func (nb *notebook) run(number int, source string) (engine.Outcome, error) {
	checked, err := nb.front.Check(number, source)
	if err != nil {
		return engine.Outcome{}, err
	}
	p, err := nb.engine.Load(checked.Unit)
	if err != nil {
		return engine.Outcome{}, err
	}
	nb.front.Commit(checked.Change)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return nb.engine.Run(ctx, p, engine.Conditions{Seed: 1, Now: time.Now}), nil
}

// cellCounts is the table that CI keeps: how many cells of each collection print what the real compiler's program prints.
// equal may only grow; a cell that prints something else fails the test.
var cellCounts = map[string]struct{ equal, refused int }{
	"cells":                   {59, 1},
	"corpus/text.txtar":       {25, 0},
	"corpus/types.txtar":      {29, 0},
	"corpus/control.txtar":    {38, 0},
	"corpus/algorithms.txtar": {20, 0},
	"corpus/tricky.txtar":     {41, 0},
	"corpus/everyday.txtar":   {12, 0},
	"corpus/storage.txtar":    {10, 0},
}

// sample is a cell and what the real compiler's program prints.
type sample struct{ name, source, want string }

// samples reads a folder of NAME.go and NAME.out, or an archive of such.
func samples(t *testing.T, path string) []sample {
	var out []sample
	if strings.HasSuffix(path, ".txtar") {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range a.Files {
			want[f.Name] = string(f.Data)
		}
		for _, f := range a.Files {
			if name, ok := strings.CutSuffix(f.Name, ".go"); ok {
				if _, has := want[name+".out"]; !has {
					t.Errorf("%s: %s has no expected output", path, f.Name)
				}
				out = append(out, sample{name, string(f.Data), want[name+".out"]})
			}
		}
		return out
	}
	files, _ := filepath.Glob(filepath.Join(path, "*.go"))
	for _, f := range files {
		name := strings.TrimSuffix(f, ".go")
		out = append(out, sample{filepath.Base(name), readFile(t, f), readFile(t, name+".out")})
	}
	return out
}

func TestCells(t *testing.T) {
	total, same := 0, 0
	for path, counts := range cellCounts {
		equal, refused := 0, 0
		list := samples(t, filepath.Join("../enginetest/testdata", path))
		for _, s := range list {
			if only := os.Getenv("CELL"); only != "" && !strings.Contains(s.name, only) {
				continue
			}
			nb := newNotebook(t)
			outcome, err := nb.run(1, s.source)
			switch _, isRefused := err.(*engine.Refused); {
			case isRefused || err != nil && strings.Contains(err.Error(), "undefined: template"):
				refused++
				t.Logf("refused %s: %v", s.name, err)
			case err != nil:
				t.Errorf("%s: %v", s.name, err)
			case outcome.Panic != nil:
				t.Errorf("%s: panic %v at line %d; printed %q", s.name, outcome.Panic, outcome.Line, nb.out.String())
			case nb.out.String() != s.want && nb.out.String()+"\n" != s.want:
				t.Errorf("%s prints\n%s\nwant\n%s", s.name, nb.out.String(), s.want)
			default:
				equal++
			}
		}
		t.Logf("%-24s %3d equal %3d refused of %d", path, equal, refused, len(list))
		if equal < counts.equal && os.Getenv("CELL") == "" {
			t.Errorf("%s: %d equal, want at least %d", path, equal, counts.equal)
		}
		total, same = total+len(list), same+equal
	}
	t.Logf("all: %d of %d equal (%.1f %%)", same, total, 100*float64(same)/float64(total))
}
