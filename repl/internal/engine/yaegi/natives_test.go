package yaegi

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// TestLoweredCodeFindsItsFunctions looks up every function that package lower generates calls of.
func TestLoweredCodeFindsItsFunctions(t *testing.T) {
	var names []string
	for name := range dyn.NewRuntime(nil, nil, nil).Natives() {
		names = append(names, name)
	}
	files, err := filepath.Glob("lower/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	called := regexp.MustCompile(`\brt\.([A-Z]\w*)`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range called.FindAllStringSubmatch(string(source), -1) {
			if _, selector := map[string]bool{"Name": true, "Kind": true}[m[1]]; selector {
				continue
			}
			begins := func(name string) bool { return strings.HasPrefix(name, m[1]) }
			require.True(t, slices.ContainsFunc(names, begins), "%s calls rt.%s", file, m[1])
		}
	}
}
