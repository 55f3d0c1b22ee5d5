package corpus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A file is sealed even if it is briefly busy, because the kernel uses a page of it. Here a writable mapping uses
// it.
func TestABusyFileIsSealed(t *testing.T) {
	f, err := memoryFile()
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	_, err = f.WriteString("text")
	require.NoError(t, err)
	held, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	require.NoError(t, err)
	freed := make(chan error, 1)
	time.AfterFunc(30*time.Millisecond, func() { freed <- unix.Munmap(held) })
	require.NoError(t, addSeals(f))
	require.NoError(t, <-freed)
	_, err = f.WriteString("more")
	require.Error(t, err)
}
