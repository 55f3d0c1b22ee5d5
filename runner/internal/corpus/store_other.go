//go:build !linux

package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// memoryFile fails: there are no memory files that can be sealed, so the text goes to a file.
func memoryFile() (*os.File, error) { return nil, errors.ErrUnsupported }

// openAgain would reopen an open file read-only, but always fails here: closing a text removes its file.
func openAgain(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func freeMemory() int64 { return 0 }

// diskFile creates a file that only this user can open.
func diskFile() (*os.File, error) { return os.CreateTemp(scratchFolder(), "rlm-context-*") }

// seal returns the file open read-only and unlinks it; if an open file cannot be removed (Windows), Close does.
func (s *store) seal() (*os.File, error) {
	if err := s.f.Chmod(0o400); err != nil {
		return nil, errors.Join(fmt.Errorf("seal the context: %w", err), s.f.Close())
	}
	readOnly, err := os.Open(s.f.Name())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("seal the context: open it again for reading: %w", err), s.f.Close())
	}
	_ = os.Remove(s.f.Name())
	return readOnly, s.f.Close()
}

func copyFile(dst, src *os.File, size int64) (int64, error) {
	return io.Copy(dst, io.NewSectionReader(src, 0, size))
}

// closeFile closes the file and removes it if it still has its name.
func closeFile(f *os.File) error {
	err := f.Close()
	if rerr := os.Remove(f.Name()); !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
