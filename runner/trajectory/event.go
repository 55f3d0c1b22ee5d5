// Package trajectory is what happened: the events of a run, the durable log that holds them, and
// reading it back.
package trajectory

import (
	"time"
)

// Event is one thing that happened. The stream of events is the single currency: everything that shows, resumes,
// replays or exports a run reads it.
type Event struct {
	// Seq numbers the events of a log from 1, without gaps. Transient events have the Seq of the last logged one.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Path places the event in the tree of runs: "" is the root, "1.3/2" is the second child run that cell 3 of
	// run (question) 1 started.
	Path string `json:"path,omitempty"`
	// Turn is the turn of the (sub-)run, from 1; 0 outside of turns.
	Turn int `json:"turn,omitempty"`
	// Data is one of the payload types of this package.
	Data Data `json:"data"`
}

// Data is the payload of an event. EventType is the "type" in the log.
type Data interface{ EventType() string }
