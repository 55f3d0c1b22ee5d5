//go:build !race

package runner_test

// raced says that the race detector is compiled in.
const raced = false
