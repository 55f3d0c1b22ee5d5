//go:build race

package documents

// raceEnabled makes the pool convert everything: with the race detector, workers cannot be locked in. Only tests
// are built with it.
const raceEnabled = true
