package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Harden protects the host process: other processes of the same user can neither read its memory and environment
// through /proc nor attach to it, it leaves no core dump, and children do not inherit its open descriptors. A
// command should call it first; a library leaves the decision to its program, because no debugger can attach
// afterwards.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process undumpable: %w", err)
	}
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if err == unix.ENOSYS || err == unix.EINVAL { // before Linux 5.11, without this call or flag
		err = closeOnExec()
	}
	if err != nil {
		return fmt.Errorf("keep descriptors from children: %w", err)
	}
	return nil
}

func closeOnExec() error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		var fd int
		if _, err := fmt.Sscan(n.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
