// Package trajectory defines the events of a run, the durable log that holds them, and the readers of that
// log. The types of events with their fields are listed in events.md.
//
// A log is made by [New] or [Create] and continued by [Open]; [Log.Append] returns when an event is on
// disk. [Read] and [Skim] yield the events of any log, also while it is written; [List] summarises many.
// [Repair] makes a damaged log usable, and [Salvage] shows what can be read of one.
package trajectory

import (
	"encoding/json"
	"time"
)

//go:generate go run ./internal/eventdoc

// Event is one thing that happened in a run. Everything that shows, resumes, replays or exports a run reads
// its events.
//
// As JSON it is {"seq":…,"time":…,"path":…,"turn":…,"type":…,"data":{…}}: a line of the log, but with every
// Text in full.
type Event struct {
	// Seq numbers the events of a log from 1, without gaps. Transient events have the Seq of the last
	// logged one.
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Path places the event in the tree of runs: "" is the root, "1.3/2" is the second child run that cell
	// 3 of run (question) 1 started.
	Path string `json:"path,omitempty"`
	// Turn is the turn of the (sub-)run, from 1; 0 outside of turns.
	Turn int `json:"turn,omitempty"`
	// Data is one of the payload types of this package.
	Data Data `json:"data"`

	// extra holds fields of the payload that this version does not know, so that they survive reading and
	// writing.
	extra map[string]json.RawMessage
}

// Data is the payload of an event. EventType is the "type" in the log.
type Data interface{ EventType() string }

// Transient says whether events of this kind are only handed to subscribers and never logged.
func Transient(d Data) bool {
	switch d.(type) {
	case ReplyDelta, CallRetried, CellPrinted, Restoring, Reading, *ReplyDelta, *CallRetried, *CellPrinted, *Restoring, *Reading:
		return true
	}
	return false
}

// Unknown is the payload of an event type that this version does not know: a log written by a later one. It
// is kept as it was.
type Unknown struct {
	Type string
	Raw  json.RawMessage
}

// EventType returns the type that stood in the log.
func (u Unknown) EventType() string { return u.Type }

// MarshalJSON returns the payload as it stood in the log.
func (u Unknown) MarshalJSON() ([]byte, error) {
	if len(u.Raw) == 0 {
		return []byte("{}"), nil
	}
	return u.Raw, nil
}
