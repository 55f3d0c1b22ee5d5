package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
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

// How long a lock that is held is tried again.
const (
	lockPatience = 100 * time.Millisecond // the instant in which a reader probes it
	// A process that is killed while it starts another one leaves the lock to that one, until it runs its own program.
	gonePatience = 5 * time.Second
	lockRetry    = 5 * time.Millisecond
)

// patience is how long to wait for a lock that somebody holds.
func patience(dir string) time.Duration {
	if owner, err := readOwner(dir); err == nil && owner.gone() {
		return gonePatience
	}
	return lockPatience
}

// gone says that the owner ran on this machine and has ended.
func (o Owner) gone() bool {
	host, err := os.Hostname()
	if err != nil || o.PID <= 0 || o.Host != host {
		return false
	}
	p, err := os.FindProcess(o.PID)
	if err != nil {
		return true
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func acquire(dir string) (*ownership, error) {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Lstat(path); err == nil && regular(path, info) != nil {
		return nil, fmt.Errorf("lock the run's log: %w", regular(path, info))
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	for began := time.Now(); ; time.Sleep(lockRetry) {
		ok, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the run's log: %w", err)
		}
		if ok {
			break
		}
		if time.Since(began) > patience(dir) {
			owner, _ := readOwner(dir)
			return nil, &LockedError{Dir: dir, Owner: owner}
		}
	}
	o := &ownership{dir: dir, lock: lock}
	sweep(dir)
	if err := o.sign(); err != nil {
		return nil, errors.Join(err, o.release())
	}
	return o, nil
}

// sign writes who owns the log. The file is written in its place: a temporary one would stay behind when
// the process is killed, and a reader that sees half of it takes the owner for unknown.
func (o *ownership) sign() error {
	host, _ := os.Hostname()
	b, err := json.Marshal(Owner{PID: os.Getpid(), Host: host, Command: command(), Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("sign the run's lock: %w", err)
	}
	path := filepath.Join(o.dir, ownerFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("sign the run's lock: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
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
	b, err := readSmall(filepath.Join(dir, ownerFile))
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(b, &o)
}

// OwnerOf returns the process that owns the log in dir at this moment, if one does.
func OwnerOf(dir string) (Owner, bool) {
	path := filepath.Join(dir, lockFile)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return Owner{}, false
	}
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	for began := time.Now(); ; time.Sleep(lockRetry) {
		if free, err := probe.TryRLock(); err == nil && free {
			_ = probe.Unlock()
			return Owner{}, false
		}
		owner, _ := readOwner(dir)
		if !owner.gone() || time.Since(began) > gonePatience {
			return owner, true
		}
	}
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
