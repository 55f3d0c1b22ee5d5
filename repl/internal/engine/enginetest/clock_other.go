//go:build !unix

package enginetest

// clockSource is processorTime, for programs that are compiled.
const clockSource = "func processorTime() float64 { return 0 }"

// ProcessorTime is not known here.
func ProcessorTime() float64 { return 0 }
