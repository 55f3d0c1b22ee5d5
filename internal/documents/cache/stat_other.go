//go:build !linux

package cache

import "io"

// statOf describes the file that r is by size and time of the last change. They are no identity, so that its bytes
// are read.
func statOf(r io.ReaderAt) (s stat, ok bool) {
	f, ok := fileOf(r)
	if !ok {
		return s, false
	}
	info, err := f.Stat()
	return stat{}, err == nil && info.Mode().IsRegular()
}
