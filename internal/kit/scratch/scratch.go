// Package scratch makes folders for what leaves nothing behind, also when its process is killed.
package scratch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Folder makes a folder and a function that removes it. Folders that earlier processes left when they were
// killed go at the same time: a lock, which ends with its process, tells them from those in use.
func Folder() (dir string, remove func() error, err error) {
	sweep(os.TempDir())
	dir, err = os.MkdirTemp("", "rlm-scratch-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder that does not stay: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	_, _ = lock.TryLock() // where there are no locks, nobody can take it for one that was left
	return dir, func() error {
		err := os.RemoveAll(dir)
		_ = lock.Close() // it is gone with its folder
		return err
	}, nil
}

// sweep removes the folders in temp that nobody uses. Other users may put folders and links there, and
// change them at any moment. So sweep creates nothing, and it touches only folders of this user, through
// what it has opened.
func sweep(temp string) {
	root, err := os.OpenRoot(temp)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	found, _ := fs.Glob(root.FS(), "rlm-scratch-*")
	for _, name := range found {
		sweepFolder(root, name)
	}
}

// sweepFolder removes one folder. One that has no lock yet is being made; one whose lock is held for a
// moment more, by what a killed process was starting, goes with the process after this one.
func sweepFolder(temp *os.Root, name string) {
	dir, err := temp.OpenRoot(name)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	opened, err := dir.Stat(".")
	if err != nil || !isOwn(opened) {
		return
	}
	if named, err := temp.Lstat(name); err != nil || !os.SameFile(named, opened) {
		return // a link to a folder is none of them
	}
	if info, err := dir.Lstat("lock"); err != nil || !info.Mode().IsRegular() {
		return
	}
	lock, err := dir.OpenFile("lock", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if tryLock(lock) {
		_ = temp.RemoveAll(name) // whatever is left goes with a later process
	}
}
