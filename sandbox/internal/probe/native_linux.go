package probe

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// worked makes a probe of an attack that succeeds if it returns no error.
func worked(name, tried string, attack func(host int) error) Probe {
	return Probe{Name: name, Tried: tried, try: func(host int) (bool, string) {
		if err := attack(host); err != nil {
			return false, reason(err)
		}
		return true, "worked"
	}}
}

// reached makes a probe of an attack whose arguments are invalid: if the kernel complains about them, the call got
// through the filter.
func reached(name, tried string, attack func(host int) error) Probe {
	return Probe{Name: name, Tried: tried, try: func(host int) (bool, string) {
		err := attack(host)
		var errno unix.Errno
		if errors.As(err, &errno) && (errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS) {
			return false, reason(err)
		}
		if err == nil {
			return true, "worked"
		}
		return true, "the kernel looked at it: " + reason(err)
	}}
}

func reason(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return fmt.Sprintf("%s (%s)", errno.Error(), unix.ErrnoName(errno))
	}
	return err.Error()
}

// call makes a system call with the arguments as given.
func call(nr uintptr, args ...uintptr) func(int) error {
	return func(int) error { return raw(nr, args...) }
}

func raw(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// opened closes the file that an attack opened, and returns the attack's error.
func opened(fd int, err error) error {
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

const (
	minus1 = ^uintptr(0)
	high   = 1 << 32 // a bit above the 32 that the kernel reads of a number or argument
)

// native returns all attacks tried on Linux.
func native() []Probe {
	all := files()
	all = append(all, secrets()...)
	all = append(all, network()...)
	all = append(all, processes()...)
	all = append(all, memory()...)
	all = append(all, privileges()...)
	all = append(all, kernel()...)
	return append(all, nativeHere()...)
}
