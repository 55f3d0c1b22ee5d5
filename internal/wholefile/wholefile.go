// Package wholefile writes small private files that are there whole or not at all.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace makes b the content of the file at path, which only its owner can read, and makes the folder where it is missing. A reader sees
// the old content or the new one; after a power failure it is one of both too. A write that fails leaves what was there.
func Replace(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
