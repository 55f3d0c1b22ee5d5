//go:build linux && !amd64

package probe

// nativeHere returns none: no attack is specific to this architecture.
func nativeHere() []Probe { return nil }
