package bench

import (
	"os"
	"syscall"
)

// peak is the largest resident set of an ended process or of one that it waited for, in bytes.
func peak(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
