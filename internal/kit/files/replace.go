// Package files has files that are complete or not there at all, files without a name, files of lines of which the last one of a key
// counts, and locks of which one can say who holds them.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// PlaceError says that no file can be made at a path: it is the path that is wrong, not the disk or what is to be written.
type PlaceError struct{ Err error }

func (e *PlaceError) Error() string { return e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// Write makes the file at path, which only its owner can read, of what write writes. A reader sees the old content or the new one; with sync,
// after a power failure it is one of both too. A write that fails leaves what was there. The error is a *PlaceError if there can be no
// file beside path.
func Write(path string, sync bool, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return &PlaceError{err}
	}
	if err = write(f); err == nil && sync {
		if err = f.Sync(); unsyncable(err) { // a disk that is full may say so no earlier
			err = nil
		}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Replace makes b the content of the file at path, durably, and makes the folder where it is missing; see Write. A link stays one: the file
// that it leads to is replaced.
func Replace(path string, b []byte) error {
	path = behind(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return Write(path, true, func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}

// behind is the file that a path means: where links lead, whether there is a file or not.
func behind(path string) string {
	const most = 40 // links, as the system has it
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir := filepath.Dir(path)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real // what .. means depends on it
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}
