//go:build !linux || !cgo

package sandbox

func linksC() bool { return false }
