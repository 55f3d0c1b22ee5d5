package files_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/files"
)

// A spool returns what was written, from memory or disk, and leaves nothing behind.
func TestASpoolGivesBackWhatWasWritten(t *testing.T) {
	for _, memory := range []int{0, 1, 1000, 1 << 20} {
		for _, piece := range []int{1000, 64 << 10, 300 << 10} {
			t.Run(fmt.Sprint(memory, piece), func(t *testing.T) {
				s := files.Spool{Memory: memory, Dir: t.TempDir()}
				var want []byte
				for i := range 5 {
					p := bytes.Repeat([]byte{byte('a' + i)}, piece)
					want = append(want, p...)
					n, err := s.Write(p)
					require.NoError(t, err)
					require.Len(t, p, n)
					require.EqualValues(t, len(want), s.Size())
					require.NoError(t, s.Flush())
					got, err := io.ReadAll(io.NewSectionReader(&s, 0, s.Size()))
					require.NoError(t, err)
					require.True(t, bytes.Equal(want, got))
				}
				if few := s.Bytes(); few != nil {
					require.Equal(t, want, few)
				}
				f, err := s.File()
				require.NoError(t, err)
				got := make([]byte, len(want))
				_, err = f.ReadAt(got, 0)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got))
				require.NoError(t, s.Close())
				left, err := os.ReadDir(s.Dir)
				require.NoError(t, err)
				require.Empty(t, left)
			})
		}
	}
}

// If the disk cannot be written to, the write that needs it fails, as do all later ones.
func TestASpoolWithoutADisk(t *testing.T) {
	s := files.Spool{Memory: 4, Dir: filepath.Join(t.TempDir(), "none")}
	_, err := s.Write([]byte("four"))
	require.NoError(t, err)
	_, err = s.Write([]byte("more"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, s.Flush(), os.ErrNotExist)
	_, err = s.Write(nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, s.Close())
}
