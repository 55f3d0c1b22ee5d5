// Package scratch creates temporary folders that leave nothing behind, even if the process is killed.
package scratch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Folder creates a folder and returns a function that removes it. It also removes folders left by killed
// processes: a lock, which ends with its process, distinguishes them from those in use.
func Folder() (dir string, remove func() error, err error) {
	sweep(os.TempDir())
	dir, err = os.MkdirTemp("", "rlm-scratch-")
	if err != nil {
		return "", nil, fmt.Errorf("create a temporary folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	_, _ = lock.TryLock() // where locks do not work, sweep removes nothing
	return dir, func() error {
		err := os.RemoveAll(dir)
		_ = lock.Close() // the lock's file is already removed
		return err
	}, nil
}

// sweep removes unused folders in temp. Other users may put folders and links there, and change them at any
// moment. So sweep creates nothing, and touches only folders of this user, through handles that it has opened.
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

// sweepFolder removes one folder. A folder without a lock is just being created; one whose lock is still held, by
// a process that a killed one was starting, is left to a later sweep.
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
		return // name is a link to a folder
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
		_ = temp.RemoveAll(name) // a later process removes the rest
	}
}
