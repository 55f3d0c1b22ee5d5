//go:build !linux

package cache

import "io"

// statOf reports whether r reads from a regular file. The stat stays empty, so the file's bytes are hashed every
// time.
func statOf(r io.ReaderAt) (s stat, ok bool) {
	f, ok := fileOf(r)
	if !ok {
		return s, false
	}
	info, err := f.Stat()
	return stat{}, err == nil && info.Mode().IsRegular()
}
