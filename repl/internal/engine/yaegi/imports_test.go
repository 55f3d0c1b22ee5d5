package yaegi

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The engine imports nothing that ties it to a Go release or a processor.
func TestImportsNothingOfTheExactEngine(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, im := range file.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			require.NoError(t, err)
			require.NotEqual(t, "unsafe", name, path)
			require.NotContains(t, name, "engine/exact", path)
		}
		return nil
	}))
	require.Greater(t, files, 30)
}
