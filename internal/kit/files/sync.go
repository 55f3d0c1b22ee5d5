package files

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolders makes the entries of folders durable, where that can be done: not every file system does it, and some answer that the argument is
// invalid.
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

// unsyncable says that a file system makes nothing durable when it is asked to.
func unsyncable(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || os.IsPermission(err)
}
