// Package files writes files that are complete or do not exist at all, temporary files without a name, journals of
// JSON lines, and locks whose holder is known.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// PlaceError means that no file can be created at a path: the path is wrong, not the disk or the contents.
type PlaceError struct{ Err error }

func (e *PlaceError) Error() string { return e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// Write writes the file at path, which only its owner can read. A reader sees either the old contents or the new;
// with sync, so does a reader after a power failure. If write fails, the old file remains. The error is a
// *PlaceError if no file can be created next to path.
func Write(path string, sync bool, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return &PlaceError{err}
	}
	if err = write(f); err == nil && sync {
		if err = f.Sync(); unsyncable(err) { // a full disk may not be reported before this
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

// Replace makes b the contents of the file at path, durably, and creates a missing folder; see Write. A link
// remains: the file that it refers to is replaced.
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

// behind resolves the links in a path, whether or not the file exists.
func behind(path string) string {
	const most = 40 // links, as in the system's limit
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir := filepath.Dir(path)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real // the meaning of .. depends on the real folder
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}
