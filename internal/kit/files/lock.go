package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Holder is the process that holds a lock.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"` // the program and its subcommand, without arguments that may be private
	Since   time.Time `json:"since"`
}

// Self returns this process.
func Self() Holder {
	host, _ := os.Hostname() // empty if unknown, which matches no machine
	return Holder{PID: os.Getpid(), Host: host, Command: command(), Since: time.Now().UTC().Truncate(time.Second)}
}

// command returns the program and its subcommand.
func command() string {
	s := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") && !strings.ContainsAny(os.Args[1], " \n\t") &&
		len(os.Args[1]) < 20 {
		s += " " + os.Args[1]
	}
	return s
}

// String names the process, and explains how to resume it if it is suspended.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	text := fmt.Sprintf("process %d on %s (%s, since %s)", h.PID, h.Host, h.Command,
		h.Since.Local().Format(time.DateTime))
	if h.Suspended() {
		text += fmt.Sprintf(", which is suspended (fg or kill -CONT %d resumes it)", h.PID)
	}
	return text
}

// Suspended reports whether the process is stopped but can be resumed, on systems with /proc.
func (h Holder) Suspended() bool {
	if !h.here() {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", h.PID))
	if err != nil {
		return false
	}
	state := bytes.TrimSpace(stat[bytes.LastIndexByte(stat, ')')+1:])
	return bytes.HasPrefix(state, []byte("T")) || bytes.HasPrefix(state, []byte("t"))
}

// Gone reports whether the process ran on this machine and has ended.
func (h Holder) Gone() bool {
	if !h.here() {
		return false
	}
	p, err := os.FindProcess(h.PID)
	if err != nil {
		return true
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func (h Holder) here() bool {
	host, err := os.Hostname()
	return err == nil && h.PID > 0 && h.Host == host
}

// HolderOf returns the process that last signed the lock at path; zero if it is unknown.
func HolderOf(path string) (h Holder) {
	if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &h) != nil {
		return Holder{}
	}
	return h
}

// Sign records in a lock's file that this process holds it. A failure, for example on a full disk, is ignored.
func Sign(path string) {
	if b, err := json.Marshal(Self()); err == nil {
		_ = os.WriteFile(path, b, 0o600)
	}
}

// LockError means that a file system refuses a lock.
type LockError struct {
	Path string
	Err  error
}

func (e *LockError) Error() string { return fmt.Sprintf("lock %s: %v", e.Path, e.Err) }
func (e *LockError) Unwrap() error { return e.Err }

// TryLock takes a lock, if no other process holds it. The error is a *LockError.
func TryLock(lock *flock.Flock) (bool, error) {
	got, err := lock.TryLock()
	if err == nil {
		return got, nil
	}
	if at := (*os.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return false, &LockError{Path: lock.Path(), Err: err}
}

const (
	// A child of a process that is killed between fork and exec holds its parent's locks until the exec.
	leftBehind = 5 * time.Second
	lockRetry  = 5 * time.Millisecond
)

// Await calls try until it gets the lock, returns an error, or the wait exceeds patience. If the holder has ended,
// Await waits at least as long as a lock may outlive its holder.
func Await(patience time.Duration, holder func() Holder, try func() (bool, error)) (bool, error) {
	for began := time.Now(); ; time.Sleep(lockRetry) {
		got, err := try()
		if got || err != nil {
			return got, err
		}
		if waited := time.Since(began); waited >= patience && (waited >= leftBehind || !holder().Gone()) {
			return false, nil
		}
	}
}

// alonePatience is how long Alone waits for others.
const alonePatience = 3 * time.Second

// Alone calls do while no other process does so for the same path, so that do can read a file, change it and
// replace it. If the file system has no locks, no process is excluded.
func Alone(path string, do func() error) error {
	path = behind(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	holder := func() Holder { return HolderOf(lock.Path()) }
	got, err := Await(alonePatience, holder, func() (bool, error) { return TryLock(lock) })
	if err != nil && !lacksLocks(err) {
		return err
	}
	if err == nil && !got {
		return fmt.Errorf("%s is being changed by %s, which does not finish", path, holder())
	}
	defer lock.Close()
	Sign(lock.Path())
	return do()
}

// lacksLocks reports that a file system has no locks at all.
func lacksLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}
