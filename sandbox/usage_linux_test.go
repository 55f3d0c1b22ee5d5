package sandbox

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// The error explains why a worker's size cannot be read, which may be the machine's fault and not the program's.
func TestASizeThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	u := openUsage(1 << 30) // no process has this id
	defer u.close()
	require.ErrorIs(t, u.wall(0), fs.ErrNotExist)
}
