//go:build !linux

package trajectory

import "os"

// syncData makes the file durable.
func syncData(f *os.File) error { return f.Sync() }

func isQuota(error) bool { return false }
