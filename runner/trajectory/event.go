// Package trajectory defines the events of a run, the durable log that holds them, and the readers of that log.
// The types of events with their fields are listed in events.md.
//
// A log is made by [New] or [Create] and continued by [Open]; [Log.Append] returns when an event is on disk.
// [Read] and [Skim] yield the events of any log, even while it is being written; [List] summarises many. [Repair]
// makes a damaged log usable, and [Salvage] yields the readable part of one.
package trajectory

import (
	"encoding/json"
	"time"
)

//go:generate go run ./internal/eventdoc

// Event is one thing that happened in a run. Showing, resuming, replaying and exporting a run all read its events.
//
// As JSON it is {"seq":…,"time":…,"path":…,"turn":…,"type":…,"data":{…}}: a line of the log, but with
// every Text in full.
type Event struct {
	// Seq numbers the events of a log from 1, without gaps. Transient events have the Seq of the last
	// logged one.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Path is the place in the tree of runs: "" is the root, "1.3/2" is the second child run that cell 3 of run
	// (question) 1 started.
	Path string `json:"path,omitempty"`
	// Turn is the turn of the run or child run, from 1; 0 outside of turns.
	Turn int `json:"turn,omitempty"`
	// Data is one of the payload types of this package.
	Data Data `json:"data"`

	// extra holds fields of the payload that this version does not know, to preserve them.
	extra map[string]json.RawMessage
}

// Data is the payload of an event. EventType is the "type" in the log.
type Data interface{ EventType() string }

// Transient reports whether events of this kind are only passed to subscribers and never logged.
func Transient(d Data) bool {
	switch d.(type) {
	case ReplyDelta, CallRetried, CellPrinted, Restoring, Reading, *ReplyDelta, *CallRetried, *CellPrinted, *Restoring,
		*Reading:
		return true
	}
	return false
}

// Unknown is the payload of an event type that this version does not know, from a log of a later version. It is
// preserved unchanged.
type Unknown struct {
	Type string
	Raw  json.RawMessage
}

// EventType returns the type as in the log.
func (u Unknown) EventType() string { return u.Type }

// MarshalJSON returns the payload unchanged.
func (u Unknown) MarshalJSON() ([]byte, error) {
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}
