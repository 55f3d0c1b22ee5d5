//go:build !linux

package bench

import "os"

// peak is unknown on this system.
func peak(*os.ProcessState) int64 { return 0 }
