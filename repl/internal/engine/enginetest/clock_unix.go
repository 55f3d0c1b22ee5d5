//go:build unix

package enginetest

import "syscall"

// clockSource is processorTime, for programs that are compiled.
const clockSource = `
import "syscall"

func processorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
`

// ProcessorTime is how much processor time this process has used, in seconds.
func ProcessorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
