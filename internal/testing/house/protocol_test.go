package house

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSessionsSpeakNoHTTP checks that sessions depend on no protocol, so that every front end can build on them.
func TestSessionsSpeakNoHTTP(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "internal", "session", "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			require.False(t, imp == "net" || strings.HasPrefix(imp, "net/"), "%s imports %s", file, imp)
		}
	}
}
