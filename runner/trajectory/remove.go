package trajectory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Remove deletes the run in dir with everything in its folder. The error is a *LockedError if a process owns its
// log. An interrupted removal leaves a folder that is no longer listed.
func Remove(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, logFile)); err != nil {
		return fmt.Errorf("remove the run: %w", err)
	}
	// The lock is not signed: that needs space, and the disk may be full.
	owner, err := hold(dir)
	if err != nil && !noRoom(err) {
		return err
	}
	// Without its log the folder is no longer a run, whatever else fails.
	err = os.Remove(filepath.Join(dir, logFile))
	if owner != nil {
		_ = owner.release() // the folder is deleted next
	}
	if err != nil {
		return fmt.Errorf("remove the run: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the run's folder: %w", err)
	}
	return nil
}

// noRoom reports whether the lock file could not be created for lack of space: then no process holds the lock.
func noRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || isQuota(err) }
