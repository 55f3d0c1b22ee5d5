package enginetest

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

//go:embed testdata
var testdata embed.FS

// Sample is a cell and the output of its program when the real compiler compiles it.
type Sample struct{ Name, Source, Want string }

// Samples returns the cells of testdata by collection. A collection is a folder of NAME.go and NAME.out, or an
// archive of such files.
func Samples(t testing.TB) map[string][]Sample {
	t.Helper()
	out := map[string][]Sample{}
	err := fs.WalkDir(testdata, "testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "speed" || d.Name() == "notebooks" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := testdata.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, "testdata/")
		switch path.Ext(file) {
		case ".txtar":
			out[name] = archived(t, name, txtar.Parse(data))
		case ".go":
			want, err := testdata.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
			if err != nil {
				return err
			}
			out[path.Dir(name)] = append(
				out[path.Dir(name)], Sample{strings.TrimSuffix(path.Base(name), ".go"), string(data), string(want)})
		}
		return nil
	})
	require.NoError(t, err)
	return out
}

func archived(t testing.TB, name string, a *txtar.Archive) []Sample {
	var out []Sample
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range a.Files {
		if cell, ok := strings.CutSuffix(f.Name, ".go"); ok {
			require.Contains(t, want, cell+".out", "%s: the output is missing; run expected", name)
			out = append(out, Sample{cell, string(f.Data), want[cell+".out"]})
		}
	}
	return out
}

// Cells runs every cell of testdata in a new session. The output must be that of the program made by the real
// compiler, or the engine's table must list the difference. CELL=name runs only cells whose names contain name.
func Cells(t *testing.T, make Maker, name string) {
	c := newTally(t, name, "cells")
	c.partial = os.Getenv("CELL") != ""
	for _, list := range Samples(t) {
		for _, s := range list {
			if strings.Contains(s.Name, os.Getenv("CELL")) {
				v, text := tryCell(t, make, s)
				c.add(s.Name, v, text)
			}
		}
	}
	c.done()
}

// tryCell runs a cell and compares its output with the expected one.
func tryCell(t *testing.T, make Maker, s Sample) (Verdict, string) {
	nb := NewNotebook(t, make)
	out, err := nb.Run(1, s.Source)
	printed := nb.Out.String()
	switch {
	case err != nil:
		return Refused, err.Error()
	case out.Inexact:
		return Refused, fmt.Sprint(Left, out.Panic)
	case out.Panic != nil:
		return Different, fmt.Sprintf("panic %v at line %d; printed %q", out.Panic, out.Line, printed)
	case out.Cancelled:
		return Different, fmt.Sprintf("it does not end; printed %q", printed)
	case printed != s.Want && printed+"\n" != s.Want:
		return Different, "prints\n" + difference(printed, s.Want)
	}
	return Equal, ""
}

// difference returns the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d: %s\nwant: %s", i+1, a, b)
		}
	}
	return ""
}
