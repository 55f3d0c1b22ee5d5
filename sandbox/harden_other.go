//go:build !linux

package sandbox

// Harden protects the host process from others of the same user. On this system it does nothing.
func Harden() error { return nil }
