package cache

import (
	"io"
	"syscall"
)

// statOf returns the stat of the file that r reads from.
func statOf(r io.ReaderAt) (s stat, ok bool) {
	f, ok := fileOf(r)
	if !ok {
		return s, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return s, false
	}
	return stat{int64(sys.Dev), int64(sys.Ino), sys.Size, sys.Mtim.Nano(), sys.Ctim.Nano()}, true
}
