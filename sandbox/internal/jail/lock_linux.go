//go:build amd64 || arm64

package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Lock puts every layer that the machine offers around the process. It never stops half-way: an unavailable layer
// is left out and explained in Why, and the caller decides whether the rest is enough.
//
// The order matters: first the layers that need privilege (root, capabilities), then those that drop privilege, and
// the filter last.
func Lock(o Options) Layers {
	l := Layers{Namespaces: o.Namespaces}
	note := func(layer string, err error) bool {
		if err != nil {
			l.Why = append(l.Why, layer+": "+err.Error())
		}
		return err == nil
	}
	if o.Namespaces && !note("user", mapUser(o.User, o.Group)) {
		l.Namespaces = false
	}
	if l.Namespaces {
		l.EmptyRoot = note("empty root", emptyRoot())
	} else if !o.Namespaces {
		l.Why = append(l.Why, "namespaces: not started in namespaces of its own")
	}
	note("dumpable", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	l.Rlimits = note("rlimits", setRlimits())
	if !note("threads", checkAllThreads()) {
		l.Why = append(l.Why, "landlock: cannot be applied to every thread of a binary built with cgo")
		l.NoCaps = note("capabilities", noCapabilities())
	} else {
		l.NoNewPrivs = note("no new privileges", allThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0))
		l.NoCaps = note("capabilities", dropCapabilities())
		abi, err := restrictByLandlock()
		if note("landlock", err) {
			l.Landlock = abi
		}
	}
	// The filter's TSYNC flag also sets no_new_privs on every thread.
	l.Seccomp = note("seccomp", installFilter(o.Reads))
	l.NoNewPrivs = l.NoNewPrivs || l.Seccomp
	return l
}

// CloseStray closes all descriptors except keep and those of the Go runtime (epoll, eventfd). os/exec passes on
// every descriptor that is not close-on-exec, even one that the host has inherited from its own parent.
func CloseStray(keep int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 || fd == keep {
			continue
		}
		what, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err != nil || strings.HasPrefix(what, "anon_inode:[event") {
			continue // closed already (the one used for listing), or the runtime's
		}
		if err := unix.Close(fd); err != nil && err != unix.EBADF {
			return fmt.Errorf("close %d: %w", fd, err)
		}
	}
	return nil
}

// EndWithHost makes the kernel kill this process when its host ends, even while the process is stopped. The host
// requested the same when it started the process, but executing a setuid program resets it.
func EndWithHost() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
}

// emptyRoot makes an empty read-only file system the root of this mount namespace.
func emptyRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	const at = "/proc" // any folder that exists everywhere
	if err := unix.Mount("rlm", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC,
		"size=0,nr_inodes=1"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := unix.Chdir(at); err != nil {
		return fmt.Errorf("enter: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("detach the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return fmt.Errorf("enter: %w", err)
	}
	const flags = unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("", "/", "", flags, ""); err != nil {
		return fmt.Errorf("make read-only: %w", err)
	}
	if names, err := os.ReadDir("/"); err != nil || len(names) > 0 {
		return fmt.Errorf("the new root is not empty: %v %v", names, err)
	}
	return nil
}

// Rlimits returns the limits that are the same for all workers; the host sets the limit on memory, because it
// depends on the session. The number of threads has no limit here, because the kernel would count the threads of
// all processes of the user; the host watches it instead.
func Rlimits() map[int]uint64 {
	return map[int]uint64{
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_FSIZE:    0,
		unix.RLIMIT_NOFILE:   64,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
	}
}

func setRlimits() error {
	for what, value := range Rlimits() {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(what, &now); err != nil {
			return fmt.Errorf("limit %d cannot be read: %w", what, err)
		}
		value = min(value, now.Max) // the hard limit may be lower, and cannot be raised
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	return nil
}

// checkAllThreads reports an error if a system call cannot be made on every thread, as in a binary that links C.
func checkAllThreads() error {
	return allThreads(unix.SYS_GETPID, 0, 0, 0)
}

func allThreads(trap, a, b, c uintptr) error {
	if _, _, errno := syscall.AllThreadsSyscall6(trap, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// mapUser makes the process root of its user namespace, in which only the user who started it is mapped.
func mapUser(user, group int) error {
	for _, f := range []struct{ name, text string }{
		{"setgroups", "deny"}, // otherwise groups cannot be mapped without privilege
		{"uid_map", fmt.Sprintf("0 %d 1\n", user)},
		{"gid_map", fmt.Sprintf("0 %d 1\n", group)},
	} {
		if err := os.WriteFile("/proc/self/"+f.name, []byte(f.text), 0); err != nil {
			return fmt.Errorf("map it: %w", err)
		}
	}
	return nil
}

// noCapabilities returns an error if the process has capabilities, which a binary that links C cannot drop.
func noCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&head, &has[0]); err != nil {
		return os.NewSyscallError("capget", err)
	}
	if has[0].Permitted|has[1].Permitted|has[0].Effective|has[1].Effective != 0 {
		return errors.New("a binary that links C cannot drop those that it was started with")
	}
	return nil
}

func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return allThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none[0])), 0)
}
