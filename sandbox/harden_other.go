//go:build !linux

package sandbox

// Harden protects the host process from others of the same user. There is nothing to do on this system.
func Harden() error { return nil }
