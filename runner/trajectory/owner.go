package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/gorlm/rlm/internal/kit/files"
)

const (
	lockFile  = "lock"
	ownerFile = "owner.json"
)

// Owner is the process that may append to a log.
type Owner struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
	// name of the program and its subcommand, without arguments, which may be private
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// LockedError means that another process owns a log.
type LockedError struct {
	Dir   string
	Owner Owner // zero if the owner has not written its name yet
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("run %s is in use by %s: wait for it to finish, or stop it", filepath.Base(e.Dir),
		files.Holder(e.Owner))
}

// ownership is a held lock. The operating system releases it when the process dies.
type ownership struct {
	dir  string
	lock *flock.Flock
}

// lockPatience is how long to wait for a lock, because a reader may hold it for a moment to probe it.
const lockPatience = 100 * time.Millisecond

// acquire makes this process the owner of a log.
func acquire(dir string) (*ownership, error) {
	o, err := hold(dir)
	if err != nil {
		return nil, err
	}
	sweep(dir)
	if err := o.sign(); err != nil {
		return nil, errors.Join(err, o.release())
	}
	return o, nil
}

// hold acquires the lock of a log.
func hold(dir string) (*ownership, error) {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Lstat(path); err == nil && regular(path, info) != nil {
		return nil, fmt.Errorf("lock the run's log: %w", regular(path, info))
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	got, err := files.Await(lockPatience, holderOf(dir), func() (bool, error) { return files.TryLock(lock) })
	if err != nil {
		return nil, fmt.Errorf("lock the run's log: %w", err)
	}
	if !got {
		owner, _ := readOwner(dir)
		return nil, &LockedError{Dir: dir, Owner: owner}
	}
	return &ownership{dir: dir, lock: lock}, nil
}

// holderOf returns a function that returns the owner of the log in dir, if it has written its name yet.
func holderOf(dir string) func() files.Holder {
	return func() files.Holder {
		owner, _ := readOwner(dir)
		return files.Holder(owner)
	}
}

// sign records the owner of the log. The file is written directly: a temporary one would be left over when the
// process is killed, and a reader that sees half of it treats the owner as unknown.
func (o *ownership) sign() error {
	b, err := json.Marshal(Owner(files.Self()))
	if err != nil {
		return fmt.Errorf("write the owner of the run's lock: %w", err)
	}
	path := filepath.Join(o.dir, ownerFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("write the owner of the run's lock: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the owner of the run's lock: %w", err)
	}
	return nil
}

func (o *ownership) release() error {
	err := os.Remove(filepath.Join(o.dir, ownerFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, o.lock.Unlock())
}

func readOwner(dir string) (Owner, error) {
	var o Owner
	b, err := readSmall(filepath.Join(dir, ownerFile))
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(b, &o)
}

// OwnerOf returns the process that owns the log in dir at present, if there is one.
func OwnerOf(dir string) (Owner, bool) {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return Owner{}, false
	}
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, _ := files.Await(0, holderOf(dir), func() (bool, error) {
		free, err := probe.TryRLock()
		return free && err == nil, nil
	})
	if free {
		_ = probe.Unlock()
		return Owner{}, false
	}
	owner, _ := readOwner(dir)
	return owner, true
}

// syncFolder makes the entries of a folder and the folder itself durable.
func syncFolder(dir string) error {
	if err := files.SyncFolders(dir, filepath.Dir(dir)); err != nil {
		return fmt.Errorf("make the run's folder durable: %w", err)
	}
	return nil
}
