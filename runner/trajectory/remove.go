package trajectory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Remove deletes the run in dir with all that is kept of it. The error is a *LockedError when a process
// owns its log. A removal that is interrupted leaves a folder that no list shows.
func Remove(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, logFile)); err != nil {
		return fmt.Errorf("remove the run: %w", err)
	}
	// The lock is not signed: that needs room, and a disk may be full.
	owner, err := hold(dir)
	if err != nil && !noRoom(err) {
		return err
	}
	// Without its log the folder is no run any more, whatever else goes wrong.
	err = os.Remove(filepath.Join(dir, logFile))
	if owner != nil {
		_ = owner.release() // the folder goes
	}
	if err != nil {
		return fmt.Errorf("remove the run: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the run's folder: %w", err)
	}
	return nil
}

// noRoom says that the file of a lock could not be made: then nobody holds it.
func noRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || isQuota(err) }
