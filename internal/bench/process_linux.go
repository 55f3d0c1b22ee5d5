package bench

import (
	"os"
	"syscall"
)

// peak is the largest resident set, in bytes, of an ended process or of a child that it waited for.
func peak(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
