//go:build rlm_without_exact

package rtype

// leftOut makes Check fail: a build with this tag behaves as if it were for another Go release or processor.
var leftOut = "yes"
