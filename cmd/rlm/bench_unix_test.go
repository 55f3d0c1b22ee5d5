//go:build unix

package main

import (
	"os"
	"syscall"
)

// peakResident returns the peak resident set of a process in bytes, as Linux counts it.
func peakResident(s *os.ProcessState) float64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return float64(usage.Maxrss) * 1024
	}
	return 0
}
