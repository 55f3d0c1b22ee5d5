//go:build !linux || !(amd64 || arm64)

package jail

import "runtime"

// Lock can put no layer around a process here.
func Lock(Options) Layers {
	return Layers{Why: []string{"no lock-down is implemented for " + runtime.GOOS + "/" + runtime.GOARCH}}
}

// CloseStray has nothing to close: descriptors are close-on-exec here, or cannot be told from the runtime's.
func CloseStray(int) error { return nil }

// LandlockABI is the landlock version that the kernel offers, 0 for none.
func LandlockABI() int { return 0 }

// EndWithHost has nothing to do: a worker ends with the connection.
func EndWithHost() error { return nil }
