package input

import (
	"os"

	"golang.org/x/sys/unix"
)

// pending is how many bytes a pipe or a socket holds, of which Linux gives no size.
func pending(f *os.File) int {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
