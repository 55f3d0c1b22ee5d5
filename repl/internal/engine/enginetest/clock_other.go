//go:build !unix

package enginetest

// clockSource is the source of processorTime, for compiled programs.
const clockSource = "func processorTime() float64 { return 0 }"

// ProcessorTime is unknown on this system.
func ProcessorTime() float64 { return 0 }
