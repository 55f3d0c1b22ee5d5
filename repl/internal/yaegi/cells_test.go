package yaegi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/repl/internal/front"
)

// notebook is a session of cells without what package repl adds to it.
type notebook struct {
	front  *front.Session
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
		"llm_query": query, front.ShowName: func(...any) {}, front.ShowName + front.SiteSuffix: func(int, ...any) {}, front.CalledName: func(string) {},
	}
	session, natives, err := front.NewSession(im, []front.Builtin{
		{Name: "llm_query", Type: reflect.TypeOf(query)},
		{Name: front.ShowName, Type: reflect.TypeOf(func(int, ...any) {}), Skip: 1, Sited: true},
		{Name: front.CalledName, Type: reflect.TypeOf(func(string) {})},
	}, map[string]any{"context": &text, front.StepName: &nb.step})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range natives {
		if f := values[n.Name]; f != nil {
			natives[i].Value = reflect.ValueOf(f)
		}
	}
	nb.front = session
	nb.engine, err = New(front.Host{Stdout: &nb.out, Natives: natives, Exit: func(int) { goexit() }})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// run runs a cell; the error is one of the front end or a refusal.
func (nb *notebook) run(number int, source string) (front.Outcome, error) {
	checked, err := nb.front.Check(number, source)
	if err != nil {
		return front.Outcome{}, err
	}
	p, err := nb.engine.Load(checked.Unit)
	if err != nil {
		return front.Outcome{}, err
	}
	nb.front.Commit(checked.Change)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if os.Getenv("SCRATCH_SRC") != "" {
		fmt.Println(Source(p))
	}
	return nb.engine.Run(ctx, p, front.Conditions{Seed: 1, Now: time.Now}), nil
}

// cellCounts is the table that CI keeps: how many cells of each folder print what the real compiler's program prints.
// equal may only grow; a cell that prints something else fails the test.
var cellCounts = map[string]struct{ equal, refused int }{
	"cells": {57, 3},
}

func TestCells(t *testing.T) {
	for folder, want := range cellCounts {
		equal, refused := 0, 0
		files, _ := filepath.Glob(filepath.Join("testdata", folder, "*.go"))
		for _, f := range files {
			if only := os.Getenv("CELL"); only != "" && !strings.Contains(f, only) {
				continue
			}
			nb := newNotebook(t)
			outcome, err := nb.run(1, readFile(t, f))
			expected := readFile(t, strings.TrimSuffix(f, ".go")+".out")
			switch _, isRefused := err.(*front.Refused); {
			case isRefused || err != nil && strings.Contains(err.Error(), "undefined: template"):
				refused++
				t.Logf("refused %s: %v", f, err)
			case err != nil:
				t.Errorf("%s: %v", f, err)
			case outcome.Panic != nil:
				t.Errorf("%s: panic %v at line %d; printed %q", f, outcome.Panic, outcome.Line, nb.out.String())
			case nb.out.String() != expected:
				t.Errorf("%s prints\n%s\nwant\n%s", f, nb.out.String(), expected)
			default:
				equal++
			}
		}
		t.Logf("%s: %d equal, %d refused of %d", folder, equal, refused, len(files))
		if equal < want.equal {
			t.Errorf("%s: %d equal, want at least %d", folder, equal, want.equal)
		}
	}
}
