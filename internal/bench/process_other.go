//go:build !linux

package bench

import "os"

// memoryOf is unknown on this system.
func memoryOf(*os.ProcessState) (faults, peak int64) { return 0, 0 }
