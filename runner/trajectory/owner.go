package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockFile  = "lock"
	ownerFile = "owner.json"
)

// Owner is the process that may append to a log.
type Owner struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"` // name of the program and its subcommand, without arguments that may be private
	Since   time.Time `json:"since"`
}

// LockedError says that another process owns a log.
type LockedError struct {
	Dir   string
	Owner Owner // zero when the owner did not get to say who it is
}

func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("run %s is in use by another process: wait for it to end, or stop it", filepath.Base(e.Dir))
	}
	return fmt.Sprintf("run %s is in use by process %d on %s (%s, since %s): wait for it to end, or stop it",
		filepath.Base(e.Dir), e.Owner.PID, e.Owner.Host, e.Owner.Command, e.Owner.Since.Local().Format(time.DateTime))
}

// ownership is a held lock. The operating system releases it when the process dies.
type ownership struct {
	dir  string
	lock *flock.Flock
}

// lockPatience covers the instant in which a reader probes the lock.
const lockPatience = 100 * time.Millisecond

func acquire(dir string) (*ownership, error) {
	lock := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(5 * time.Millisecond) {
		ok, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the run's log: %w", err)
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			owner, _ := readOwner(dir)
			return nil, &LockedError{Dir: dir, Owner: owner}
		}
	}
	o := &ownership{dir: dir, lock: lock}
	if err := o.sign(); err != nil {
		return nil, errors.Join(err, o.release())
	}
	return o, nil
}

// sign writes who owns the log.
func (o *ownership) sign() error {
	host, _ := os.Hostname()
	b, err := json.Marshal(Owner{PID: os.Getpid(), Host: host, Command: command(), Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("sign the run's lock: %w", err)
	}
	if err := replaceFile(filepath.Join(o.dir, ownerFile), b); err != nil {
		return fmt.Errorf("sign the run's lock: %w", err)
	}
	return nil
}

// command is the program and its subcommand.
func command() string {
	s := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") && !strings.ContainsAny(os.Args[1], " \n\t") && len(os.Args[1]) < 20 {
		s += " " + os.Args[1]
	}
	return s
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
	b, err := os.ReadFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(b, &o)
}

// OwnerOf returns the process that owns the log in dir at this moment, if one does.
func OwnerOf(dir string) (Owner, bool) {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return Owner{}, false
	}
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	if err == nil && free {
		_ = probe.Unlock()
		return Owner{}, false
	}
	owner, _ := readOwner(dir)
	return owner, true
}

// replaceFile writes a small file so that a reader sees either the old or the new contents.
func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// syncFolder makes the entries of a folder and the folder itself durable.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		f, err := os.Open(d)
		if err != nil {
			return fmt.Errorf("make the run's folder durable: %w", err)
		}
		err = f.Sync()
		if err = errors.Join(err, f.Close()); err != nil && !errors.Is(err, errors.ErrUnsupported) && !os.IsPermission(err) {
			return fmt.Errorf("make the run's folder durable: %w", err)
		}
	}
	return nil
}
