package input

import (
	"os"

	"golang.org/x/sys/unix"
)

// pending returns how many bytes a pipe or a socket holds; Linux does not report this as its size.
func pending(f *os.File) int {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
