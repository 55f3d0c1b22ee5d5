//go:build amd64 || arm64

package jail

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockABI returns the landlock version that the kernel offers, 0 for none.
func LandlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// rulesetAttr is struct landlock_ruleset_attr up to ABI 6; an older kernel reads only the fields that it knows.
type rulesetAttr struct {
	fs, net, scoped uint64
}

// restrictByLandlock denies every access to files, the network and other processes that the kernel's landlock
// knows: its ruleset handles all of them and allows none.
func restrictByLandlock() (int, error) {
	abi := LandlockABI()
	if abi == 0 {
		return 0, fmt.Errorf("not offered by this kernel")
	}
	attr := rulesetAttr{fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1} // all rights of ABI 1
	size := unsafe.Offsetof(attr.net)
	if abi >= 2 {
		attr.fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		attr.fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		attr.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.scoped)
	}
	if abi >= 5 {
		attr.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		attr.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if signalsWithinProcessWork() {
			attr.scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
		size = unsafe.Sizeof(attr)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return 0, fmt.Errorf("create ruleset: %w", errno)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	if err := allThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); err != nil {
		return 0, fmt.Errorf("restrict: %w", err)
	}
	return abi, nil
}

// signalsWithinProcessWork reports whether the kernel has the fix for erratum 2. Without it, scoped signals cannot
// pass between threads that were restricted one by one, and the Go scheduler preempts with such signals.
func signalsWithinProcessWork() bool {
	const askErrata = 1 << 1
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askErrata)
	return errno == 0 && errata&(1<<1) != 0
}
