package trajectory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gorlm/rlm/internal/kit/files"
)

// A run's folder may come from somebody else. Its files are opened only if they are regular files, not links to
// others, pipes or devices.

// openFile opens a regular file of a run's folder. With os.O_CREATE it may be missing.
func openFile(path string, flag int) (*os.File, error) {
	before, err := os.Lstat(path)
	if err == nil {
		err = regular(path, before)
	} else if errors.Is(err, os.ErrNotExist) && flag&os.O_CREATE != 0 {
		err = nil
		flag |= os.O_EXCL
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0o600) // do not block on a pipe that has replaced it
	if err != nil || before == nil {
		return f, err
	}
	if now, err := f.Stat(); !os.SameFile(before, now) {
		return nil, errors.Join(fmt.Errorf("open %s: it was replaced in the meantime", path), err, f.Close())
	}
	return f, nil
}

func regular(path string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	what := "not a regular file"
	if info.Mode()&os.ModeSymlink != 0 {
		what = "a link to another file"
	}
	return fmt.Errorf("open %s: it is %s, but the files of a run must be in its folder", path, what)
}

// mostSmall bounds the files that are read completely (the summary and the owner), in bytes.
const mostSmall = 1 << 20

// readSmall reads a small regular file completely.
func readSmall(path string) ([]byte, error) {
	f, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostSmall+1))
	if err == nil && len(b) > mostSmall {
		err = fmt.Errorf("read %s: it is longer than %d bytes", path, mostSmall)
	}
	return b, err
}

// replaceFile writes a small file so that a reader sees either the old or the new contents.
func replaceFile(path string, b []byte) error {
	return files.Write(path, false, func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}

// sweep removes the temporary files that remain when a process is killed in replaceFile. The caller owns the log.
func sweep(dir string) {
	for _, name := range []string{summaryFile, ownerFile} {
		left, _ := filepath.Glob(filepath.Join(dir, "."+name+"-*"))
		for _, path := range left {
			_ = os.Remove(path) // leftovers only take up space
		}
	}
}
