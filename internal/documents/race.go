//go:build race

package documents

// raceEnabled: workers cannot be locked in, and only tests are built like that. They convert everything.
const raceEnabled = true
