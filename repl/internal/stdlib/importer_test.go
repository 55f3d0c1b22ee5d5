package stdlib

import (
	"go/token"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/fakelog"
	"github.com/gorlm/rlm/repl/internal/fakeos"
	"github.com/gorlm/rlm/repl/internal/faketemplate"
)

func TestEveryAllowedPackageLoads(t *testing.T) {
	im, err := NewImporter()
	require.NoError(t, err)
	for _, path := range Packages {
		pkg, err := im.Import(path)
		require.NoError(t, err, path)
		require.Equal(t, Name(path), pkg.Name())
		require.True(t, pkg.Complete(), path)
	}
	for _, path := range []string{"reflect", "unsafe", "net", "./evil", "embed", "C", ""} {
		_, err := im.Import(path)
		require.Error(t, err, path)
	}
}

// A package that another one mentions is loaded partially, until it is imported itself.
func TestAPackageIsWholeWhateverCameBefore(t *testing.T) {
	after, err := NewImporter()
	require.NoError(t, err)
	for _, path := range Packages {
		pkg, err := after.Import(path)
		require.NoError(t, err)
		alone, err := NewImporter()
		require.NoError(t, err)
		same, err := alone.Import(path)
		require.NoError(t, err)
		require.Equal(t, same.Scope().Names(), pkg.Scope().Names(), path)
		for _, name := range pkg.Scope().Names() {
			require.Equal(t, same.Scope().Lookup(name).String(), pkg.Scope().Lookup(name).String())
		}
	}
}

// The types must be those of the release that compiled the engine; a new release needs go generate.
func TestExportDataMatchesTheRelease(t *testing.T) {
	index, _, err := readIndex()
	require.NoError(t, err)
	require.Equal(t, minor(runtime.Version()), minor(index.Go), "run go generate ./repl/internal/stdlib")
}

func minor(release string) string {
	n := 0
	for i, c := range release {
		if c == '.' {
			if n++; n == 2 {
				return release[:i]
			}
		}
	}
	return release
}

// The declared types of a fake must match its implementation.
func TestFakesAreAsDeclared(t *testing.T) {
	im, err := NewImporter()
	require.NoError(t, err)
	for path, table := range map[string]map[string]reflect.Value{
		"os":  fakeos.Symbols(io.Discard, nil),
		"log": fakelog.Symbols(io.Discard, nil),

		"text/template": template.Symbols(),
	} {
		pkg, err := im.Import(path)
		require.NoError(t, err)
		names := pkg.Scope().Names()
		for _, name := range names {
			require.True(t, token.IsExported(name))
			require.Contains(t, table, name, path)
			obj, value := pkg.Scope().Lookup(name), table[name]
			switch obj := obj.(type) {
			case *types.Func:
				require.Equal(t, types.TypeString(stripNames(obj.Signature()), nameOnly), shown(value.Type()),
					path+"."+name)
			case *types.TypeName:
				methods := types.NewMethodSet(types.NewPointer(obj.Type()))
				require.Equal(t, value.Type().NumMethod(), methods.Len(), path+"."+name)
				for m := range methods.Methods() {
					_, ok := value.Type().MethodByName(m.Obj().Name())
					require.True(t, ok, path+"."+name+"."+m.Obj().Name())
				}
			}
		}
		for name := range table {
			require.Contains(t, names, name, "declared nowhere: %s.%s", path, name)
		}
	}
}

func nameOnly(p *types.Package) string { return p.Name() }

// shown returns a type as go/types would write it.
func shown(t reflect.Type) string {
	s := t.String()
	for _, r := range [][2]string{
		{"interface {}", "any"}, {"[]uint8", "[]byte"}, {"fakeos.", "os."}, {"fakelog.", "log."},
	} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	return s
}

func stripNames(sig *types.Signature) *types.Signature {
	tuple := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, tuple(sig.Params()), tuple(sig.Results()), sig.Variadic())
}

func BenchmarkImport(b *testing.B) {
	for _, path := range []string{"fmt", "strings", "encoding/json", "time", "os"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				im, err := NewImporter()
				require.NoError(b, err)
				_, err = im.Import(path)
				require.NoError(b, err)
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			im, err := NewImporter()
			require.NoError(b, err)
			for _, path := range Packages {
				_, err := im.Import(path)
				require.NoError(b, err)
			}
		}
	})
}
