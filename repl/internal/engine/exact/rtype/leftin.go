//go:build !rlm_without_exact

package rtype

const leftOut = false
