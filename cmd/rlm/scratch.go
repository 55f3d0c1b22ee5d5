package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// scratch makes a folder for the log of what leaves nothing behind, and a function that removes it. Folders that earlier processes left
// when they were killed go at the same time: a lock, which ends with its process, tells them from those in use.
func scratch() (dir string, remove func() error, err error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "rlm-scratch-*"))
	for _, path := range old {
		sweep(path)
	}
	dir, err = os.MkdirTemp("", "rlm-scratch-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the notebook: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return "", nil, fmt.Errorf("locking the folder for the notebook: %w", err)
	}
	return dir, func() error {
		err := os.RemoveAll(dir)
		_ = lock.Close() // it is gone with its folder
		return err
	}, nil
}

// sweep removes a folder of scratch that nobody uses. One that has no lock yet is being made; one whose lock is held for a moment more, by
// what a killed process was starting, goes with the process after this one.
func sweep(dir string) {
	path := filepath.Join(dir, "lock")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	lock := flock.New(path)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return
	}
	_ = os.RemoveAll(dir) // what cannot be removed is somebody else's
	_ = lock.Close()
}
