package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// canNamespace means that workers can be started in separate namespaces, if the system allows it for this user.
const canNamespace = !raceEnabled

// executable returns a path to the running program that stays valid if its file is replaced or deleted.
func executable() (string, error) { return "/proc/self/exe", nil }

// obstacle describes what keeps this program from being started again; it returns "" if that cannot be recognised.
func obstacle(err error) string {
	const self, none = "/proc/self/exe", "; no cell can run this way, at any level: workers are this program started again, "
	info, statErr := os.Stat(self)
	var fs unix.Statfs_t
	switch {
	case errors.Is(err, os.ErrNotExist) && statErr != nil:
		return none + "which is found through /proc, but /proc is not mounted; mount it, also in a chroot"
	case errors.Is(err, os.ErrNotExist):
		return none + "which links C, but its loader is missing here; build it with CGO_ENABLED=0"
	case !errors.Is(err, os.ErrPermission) || statErr != nil:
	case unix.Statfs(self, &fs) == nil && fs.Flags&unix.ST_NOEXEC != 0:
		return none + "but its file is on a file system that is now mounted noexec; move it to another one"
	case unix.Faccessat(unix.AT_FDCWD, self, unix.X_OK, unix.AT_EACCESS) != nil:
		return none + fmt.Sprintf("but user %d may not execute its file, whose mode is %#o; after root is dropped it "+
			"needs one such as 0755", os.Geteuid(), info.Mode().Perm())
	}
	return ""
}

// confine starts the worker in separate namespaces, in which it is root without power elsewhere, and makes it die
// with its host. The worker maps its user id itself (see package jail), with capabilities valid only in its own
// user namespace. If the host did that, it would have to be dumpable for a moment, in which other processes of the
// same user could read its keys.
//
// The worker shares the host's memory until it executes the program. By default, package syscall copies the page
// tables for a new user namespace, to support hosts that map user ids while the child waits. Then every start takes
// the host milliseconds, and more if the host is large, because each page that it writes to afterwards is copied.
func confine(cmd *exec.Cmd, how startMode) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if how != namespaced {
		return
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID |
		syscall.CLONE_NEWNS |
		syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP
	cmd.SysProcAttr.Cloneflags |= syscall.CLONE_VFORK | syscall.CLONE_VM
	cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SYS_ADMIN}
}

// shedPrivileges ensures that children of the calling thread have no capabilities, even if this process is root. A
// worker that links C cannot drop them itself. Capabilities from a user namespace are not affected.
func shedPrivileges() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err {
		case nil, unix.EINVAL: // EINVAL: this kernel does not have that capability
		case unix.EPERM: // not privileged: there is nothing to drop
			return nil
		default:
			return os.NewSyscallError("prctl", err)
		}
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
}

// shareable opens the file again, read-only: a mapping of it can never become writable, whether the file is sealed
// or not.
func (p *process) shareable(f *os.File) (*os.File, uint64, error) {
	again, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return f, 0, nil // /proc is not mounted: the caller's seals must suffice
	}
	return again, 0, nil
}
