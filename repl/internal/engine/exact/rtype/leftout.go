//go:build rlm_without_exact

package rtype

// leftOut makes the self-test fail: a build with this tag behaves as on another Go release or processor.
const leftOut = true
