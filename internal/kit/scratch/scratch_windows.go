package scratch

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// isOwn is true: every user has a separate temporary folder.
func isOwn(fs.FileInfo) bool { return true }

// tryLock takes a lock that ends with its process, unless another process has it.
func tryLock(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)) == nil
}
