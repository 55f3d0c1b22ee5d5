package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// workDir creates a folder for the working copies of one process, and removes the folders of killed processes.
func workDir(dir string) (path string, remove func(), err error) {
	all := filepath.Join(dir, "work")
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", nil, fmt.Errorf("create the folder of the node: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(all, "*.lock"))
	if err != nil {
		return "", nil, fmt.Errorf("find folders of earlier nodes: %w", err)
	}
	for _, path := range left {
		lock := flock.New(path)
		if got, err := lock.TryLock(); err == nil && got {
			_ = os.RemoveAll(path[:len(path)-len(".lock")]) // what is left only takes up space
			_ = os.Remove(path)
			_ = lock.Unlock()
		}
	}
	if path, err = os.MkdirTemp(all, "node-*"); err != nil {
		return "", nil, fmt.Errorf("create the folder of the node: %w", err)
	}
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLock(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("lock the folder of the node: %w", err), os.RemoveAll(path))
	}
	return path, func() {
		_ = os.RemoveAll(path) // the next node removes what is left
		_ = os.Remove(path + ".lock")
		_ = lock.Unlock()
	}, nil
}
