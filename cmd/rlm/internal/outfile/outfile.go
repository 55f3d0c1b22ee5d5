// Package outfile writes files that are there whole or not at all.
package outfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// PlaceError says that no file can be made at a path: it is the path that is wrong, not the disk or what is to be written.
type PlaceError struct{ Err error }

func (e *PlaceError) Error() string { return e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// Write makes the file at path of what write writes, for its owner's eyes only; one that is there already is replaced and
// keeps its mode. A write that fails leaves what was there as it was. What is no regular file, such as a device or a pipe,
// is written to as it stands. The error is a *PlaceError if there can be no file at path.
func Write(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return direct(path, write)
	}
	if err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return &PlaceError{named(path, err)}
	}
	err = errors.Join(buffered(f, write), f.Chmod(mode), f.Sync()) // a disk that is full may say so no earlier
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return named(path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
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
