//go:build rlm_without_exact

package rtype

// leftOut makes the self-test fail: with this tag a build shows what a program does on another Go release or processor.
const leftOut = true
