//go:build !rlm_without_exact

package rtype

// leftOut makes Check fail unless it is "". The linker may set it (-X), so that a test needs no second compilation of
// all packages; see leftout.go.
var leftOut string
