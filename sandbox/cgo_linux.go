//go:build cgo

package sandbox

import (
	"sync"
	"syscall"
)

// linksC reports whether this program links C. Go cannot make a system call on all threads of such a program, so
// its workers could not drop the capabilities that they have in namespaces, and starting them there would be
// pointless.
var linksC = sync.OnceValue(func() bool {
	_, _, errno := syscall.AllThreadsSyscall(syscall.SYS_GETPID, 0, 0, 0)
	return errno != 0
})
