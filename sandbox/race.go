//go:build race

package sandbox

// raceEnabled is true because the race detector's runtime needs system calls and memory that a locked-in worker
// does not have.
const raceEnabled = true
