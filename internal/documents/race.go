//go:build race

package documents

// raceEnabled makes the pool convert everything, because workers cannot be locked in with the race detector. Only
// tests are built with the race detector.
const raceEnabled = true
