//go:build !unix

package enginetest

// clockSource is the source of the function processorTime, for compiled programs.
const clockSource = "func processorTime() float64 { return 0 }"

// ProcessorTime returns 0: the processor time is unknown on this system.
func ProcessorTime() float64 { return 0 }
