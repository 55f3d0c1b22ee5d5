package files

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Output makes the file at path of what write writes, for its owner's eyes only; one that is there already is replaced and
// keeps its mode. A write that fails leaves what was there as it was. What is no regular file, such as a device or a pipe,
// is written to as it stands. The error is a *PlaceError if there can be no file at path.
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

// Flows says that at path is a pipe or a device: what is written there cannot be read again, and reading may have no end.
func Flows(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// direct writes to what cannot be replaced.
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

// named says of an error of the file beside path that path could not be written: nobody knows the other name.
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
