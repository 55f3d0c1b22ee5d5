package trajectory

import (
	"fmt"
	"os"
	"path/filepath"
)

// Remove deletes the run in dir with all that is kept of it. The error is a *LockedError when a process
// owns its log. A removal that is interrupted leaves a folder that no list shows.
func Remove(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, logFile)); err != nil {
		return fmt.Errorf("remove the run: %w", err)
	}
	owner, err := acquire(dir)
	if err != nil {
		return err
	}
	// Without its log the folder is no run any more, whatever else goes wrong.
	if err := os.Remove(filepath.Join(dir, logFile)); err != nil {
		owner.release()
		return fmt.Errorf("remove the run: %w", err)
	}
	owner.release()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the run's folder: %w", err)
	}
	return nil
}
