package enginetest

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gorlm/rlm/repl/internal/engine"
)

//go:embed testdata
var testdata embed.FS

// Sample is a cell and what the real compiler's program prints.
type Sample struct{ Name, Source, Want string }

// Samples are the cells of testdata by collection: a folder of NAME.go and NAME.out, or an archive of such.
func Samples(t testing.TB) map[string][]Sample {
	t.Helper()
	out := map[string][]Sample{}
	err := fs.WalkDir(testdata, "testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
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
			out[path.Dir(name)] = append(out[path.Dir(name)], Sample{strings.TrimSuffix(path.Base(name), ".go"), string(data), string(want)})
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

// Cells runs every cell of testdata in a new session: it prints what the real compiler's program prints, or
// it is among those that the engine is known to refuse. CELL=name runs only cells of that name.
func Cells(t *testing.T, make Maker, refused []string) {
	total, equal := 0, 0
	var declined []string
	for collection, list := range Samples(t) {
		for _, s := range list {
			if !strings.Contains(s.Name, os.Getenv("CELL")) {
				continue
			}
			total++
			nb := NewNotebook(t, make)
			out, err := nb.Run(1, s.Source)
			_, isRefused := err.(*engine.Refused)
			switch printed := nb.Out.String(); {
			case isRefused || err != nil && slices.Contains(refused, s.Name):
				declined = append(declined, s.Name)
				t.Logf("refused %s: %v", s.Name, err)
			case err != nil:
				t.Errorf("%s: %s: %v", collection, s.Name, err)
			case out.Panic != nil:
				t.Errorf("%s: %s: panic %v at line %d; printed %q", collection, s.Name, out.Panic, out.Line, printed)
			case printed != s.Want && printed+"\n" != s.Want:
				t.Errorf("%s: %s prints\n%s\nwant\n%s", collection, s.Name, printed, s.Want)
			default:
				equal++
			}
		}
	}
	if os.Getenv("CELL") == "" {
		require.ElementsMatch(t, refused, declined, "the cells that are known to be refused")
	}
	t.Logf("cells: %d of %d equal, %d refused", equal, total, len(declined))
}
