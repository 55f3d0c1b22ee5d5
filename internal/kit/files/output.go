package files

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Output writes a file at path that only its owner can read; an existing file is replaced and keeps its mode. If
// write fails, the old file stays as it was. Anything but a regular file, such as a device or a pipe, is written
// to directly. The error is a *PlaceError if no file can be created at path.
func Output(path string, write func(io.Writer) error) error {
	path = behind(path)
	mode := fs.FileMode(0o600)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return direct(path, write)
	}
	if err == nil {
		mode = info.Mode().Perm()
	}
	err = Write(path, true, func(f *os.File) error { return errors.Join(buffered(f, write), f.Chmod(mode)) })
	if place := (*PlaceError)(nil); errors.As(err, &place) {
		return &PlaceError{named(path, place.Err)}
	}
	return named(path, err)
}

// Flows reports whether path is a pipe or a device: what is written to it cannot be read back, and reading it may never
// end.
func Flows(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// direct writes to something that cannot be replaced.
func direct(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return &PlaceError{err}
	}
	return errors.Join(buffered(f, write), f.Close())
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// named rewords an error about the temporary file as one about path, because nobody knows the other name.
func named(path string, err error) error {
	var (
		at   *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &at):
		return &fs.PathError{Op: "write", Path: path, Err: at.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: path, Err: link.Err}
	}
	return err
}
