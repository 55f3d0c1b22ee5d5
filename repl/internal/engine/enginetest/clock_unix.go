//go:build unix

package enginetest

import "syscall"

// clockSource is the source of the function processorTime, for compiled programs.
const clockSource = `
import "syscall"

func processorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
`

// ProcessorTime returns the processor time that this process has used, in seconds.
func ProcessorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
