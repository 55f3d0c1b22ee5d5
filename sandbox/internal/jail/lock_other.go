//go:build !linux || !(amd64 || arm64)

package jail

import "runtime"

// Lock puts no layer around a process on this system.
func Lock(Options) Layers {
	return Layers{Why: []string{"no lock-down is implemented for " + runtime.GOOS + "/" + runtime.GOARCH}}
}

// CloseStray closes nothing: on this system, descriptors are close-on-exec or cannot be told apart from the
// runtime's.
func CloseStray(int) error { return nil }

// LandlockABI returns 0, for no landlock.
func LandlockABI() int { return 0 }

// EndWithHost does nothing: a worker ends with the connection.
func EndWithHost() error { return nil }
