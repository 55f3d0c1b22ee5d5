//go:build cgo

package sandbox

import (
	"sync"
	"syscall"
)

// linksC reports whether this program links C. Go cannot make a system call on all threads of such a program, so a
// worker could not drop the capabilities that it has in namespaces: starting one there would be in vain.
var linksC = sync.OnceValue(func() bool {
	_, _, errno := syscall.AllThreadsSyscall(syscall.SYS_GETPID, 0, 0, 0)
	return errno != 0
})
