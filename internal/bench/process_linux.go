package bench

import (
	"os"
	"syscall"
)

// memoryOf returns the page faults of an ended process and of the children that it waited for, and the largest
// resident set of any of these, in bytes.
func memoryOf(s *os.ProcessState) (faults, peak int64) {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Minflt, usage.Maxrss << 10
	}
	return 0, 0
}
