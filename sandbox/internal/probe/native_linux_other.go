//go:build linux && !amd64

package probe

// nativeHere is empty: nothing is tried that only this architecture has.
func nativeHere() []Probe { return nil }
