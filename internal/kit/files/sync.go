package files

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolders makes the entries of folders durable, if possible: not every file system supports it, and some
// report an invalid argument.
func SyncFolders(dirs ...string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	for _, dir := range dirs {
		f, err := os.Open(dir)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil && !unsyncable(err) {
			return err
		}
	}
	return nil
}

// unsyncable reports that a file system does not support syncing.
func unsyncable(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || os.IsPermission(err)
}
