package corpus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// sealed writes a text of several pieces with a limit on memory and returns it sealed.
func sealed(t *testing.T, limit int64) (*Text, []byte) {
	t.Helper()
	s, err := newStore(0, 0)
	require.NoError(t, err)
	require.True(t, s.inMemory, "a machine with some free memory")
	s.limit = limit
	counted := newTally()
	w := newWriter(s, counted)
	want := bytes.Repeat([]byte("0123456789abcdef\n"), 100_000)
	_, err = w.Write(want)
	require.NoError(t, err)
	w.finish()
	require.Equal(t, limit >= int64(len(want)), s.inMemory)
	text, err := s.text(counted, []Document{{Name: "numbers", Size: int64(len(want))}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, text.Close()) })
	return text, want
}

func TestNobodyCanChangeAText(t *testing.T) {
	for name, limit := range map[string]int64{"in memory": 1 << 30, "in a file": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			text, want := sealed(t, limit)
			f := text.File()
			_, err := f.WriteAt([]byte("x"), 0)
			require.Error(t, err)
			require.Error(t, f.Truncate(0))
			_, err = unix.Mmap(int(f.Fd()), 0, len(want), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			require.Error(t, err)
			if name == "in memory" { // nor through a newly opened descriptor, which root could get
				again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), os.O_RDWR, 0)
				if err == nil {
					_, err = again.WriteAt([]byte("x"), 0)
					require.ErrorIs(t, err, unix.EPERM)
					require.ErrorIs(t, again.Truncate(0), unix.EPERM)
					require.NoError(t, again.Close())
				}
			}

			mapped, err := unix.Mmap(int(f.Fd()), 0, len(want), unix.PROT_READ, unix.MAP_SHARED)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, mapped))
			require.NoError(t, unix.Munmap(mapped))

			flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFD, 0)
			require.NoError(t, err)
			require.NotZero(t, flags&unix.FD_CLOEXEC, "programs that are started must not inherit it")
			var st unix.Stat_t
			require.NoError(t, unix.Fstat(int(f.Fd()), &st))
			require.Zero(t, st.Nlink, "nobody can find it by a name")
			require.Equal(t, uint32(0o400), st.Mode&0o777)
		})
	}
}

func TestATextThatOutgrowsMemoryMovesToAFile(t *testing.T) {
	text, want := sealed(t, 1<<20)
	got, err := io.ReadAll(io.NewSectionReader(text, 0, text.Size()))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))

	grown, err := text.Append(t.Context(), []Source{{Name: "more", String: "more"}})
	require.NoError(t, err)
	defer grown.Close()
	require.Equal(t, int64(len(want))+int64(len("\n=== document 2: more ===\nmore")), grown.Size())
}

func TestFreeMemory(t *testing.T) {
	var info unix.Sysinfo_t
	require.NoError(t, unix.Sysinfo(&info))
	free := freeMemory()
	require.Positive(t, free)
	require.LessOrEqual(t, uint64(free), info.Totalram*uint64(info.Unit))
}

func TestNamedPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	_, err := Build(t.Context(), []Source{{Path: filepath.Dir(pipe)}})
	require.ErrorContains(t, err, "not a regular file", "a folder with a pipe in it does not block")

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = Build(ctx, []Source{{Path: pipe}})
	require.ErrorIs(t, err, context.DeadlineExceeded, "nobody writes to the pipe")

	pipe += "2" // the abandoned read would consume what is written to the first pipe
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	written := make(chan error)
	go func() { written <- os.WriteFile(pipe, []byte("through a pipe"), 0o600) }()
	text, err := Build(t.Context(), []Source{{Path: pipe}})
	require.NoError(t, err)
	require.NoError(t, <-written)
	defer text.Close()
	require.Equal(t, "through a pipe", text.Facts().Head)
}
