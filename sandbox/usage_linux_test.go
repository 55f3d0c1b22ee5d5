package sandbox

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A thread that a worker starts late takes only its stack from the address space of the cells, also where the program
// is linked with a C library that would reserve 64 MiB for each.
func TestAThreadTakesLittleOfTheCellsMemory(t *testing.T) {
	t.Parallel()
	const memory = 96 << 20
	for range 8 {
		s, err := New(t.Context(), Config{Limits: Limits{CellMemory: memory}})
		require.NoError(t, err)
		_, err = s.Run(t.Context(), Cell{Source: "x := 1"})
		require.NoError(t, err)
		used, _, err := s.worker.usage.memory()
		require.NoError(t, err)
		var wall unix.Rlimit
		require.NoError(t, unix.Prlimit(s.worker.usage.pid, unix.RLIMIT_AS, nil, &wall))
		// Where Go's heap grows after the limit was set, it reserves 64 MiB; C would take 72 for a thread.
		assert.Greater(t, int64(wall.Cur)-used, int64(2*memory-(68<<20)))
		require.NoError(t, s.Close())
	}
}

// The error explains why a worker's size cannot be read, which may be the machine's fault and not the program's.
func TestASizeThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	u := openUsage(1 << 30) // no process has this id
	defer u.close()
	require.ErrorIs(t, u.wall(0), fs.ErrNotExist)
}
