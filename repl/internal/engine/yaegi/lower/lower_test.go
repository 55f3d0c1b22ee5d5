// Package lower_test tests package lower from outside: cells are checked, lowered and run. Each source file has
// its own test table.
package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi"
)

// row is a cell, or several with a line ";;" between them, and the expected output; or "refused: " and the
// construct if lowering leaves the cell to the exact engine.
type row struct{ cells, want string }

func try(t *testing.T, rows []row) {
	for _, r := range rows {
		t.Run(strings.ReplaceAll(r.cells, "\n", "; "), func(t *testing.T) {
			require.Equal(t, r.want, ran(t, strings.Split(r.cells, "\n;;\n")))
		})
	}
}

// ran returns what the cells of a session print, or why they do not run.
func ran(t *testing.T, cells []string) string {
	nb := enginetest.NewNotebook(t, func(h engine.Host) (engine.Engine, error) { return yaegi.New(h) })
	for i, cell := range cells {
		out, err := nb.Run(i+1, cell)
		var refused *engine.RefusedError
		if errors.As(err, &refused) {
			require.NotEmpty(t, refused.Why)
			require.NotEmpty(t, refused.Instead)
			_, _ = nb.Out.Write([]byte("refused: " + refused.Construct + "\n"))
			continue
		}
		require.NoError(t, err)
		require.Nil(t, out.Panic)
	}
	return nb.Out.String()
}
