package sandbox

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// What keeps a worker's size from being read is told with the error: a machine without files left is no fault of a
// program.
func TestASizeThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	u := openUsage(1 << 30) // no process has that id
	defer u.close()
	require.ErrorIs(t, u.wall(0), fs.ErrNotExist)
}
