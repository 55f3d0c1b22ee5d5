package trajectory

import (
	"iter"
	"sort"
)

// Kept returns the events that make up a session's conversation and notebook. It leaves out the questions that were
// taken back, and the Undone events. Changes to the session itself (a context added, a new name) stay. The input is
// not changed.
//
// The cost of questions that were taken back stays spent, so sum costs and token counts over all events instead.
func Kept(events []Event) []Event {
	var back TakenBack
	at := func(i int) Event { // events outside a log have no numbers
		e := events[i]
		e.Seq = int64(i)
		return e
	}
	for i := range events {
		back.Add(at(i))
	}
	kept := make([]Event, 0, len(events))
	for i, e := range events {
		if _, undoes := e.Data.(Undone); !undoes && !back.Holds(at(i)) {
			kept = append(kept, e)
		}
	}
	return kept
}

// TakenBack identifies the events of a session that were taken back. Its zero value is for a new session.
type TakenBack struct {
	starts []int64 // of the questions that remain
	spans  []span  // in order, without overlap
}

// span is the events from the start of a question to the event that took it back.
type span struct{ from, to int64 }

// ReadTakenBack returns which of a session's events were taken back, as far as they can be read.
func ReadTakenBack(events iter.Seq2[Event, error]) (TakenBack, error) {
	var back TakenBack
	for e, err := range events {
		if err != nil {
			return back, err
		}
		back.Add(e)
	}
	return back, nil
}

// Add adds the session's next event.
func (b *TakenBack) Add(e Event) {
	switch d := e.Data.(type) {
	case RunStarted:
		if e.Path == "" {
			b.starts = append(b.starts, e.Seq)
		}
	case Undone:
		first := d.first(len(b.starts))
		if first == len(b.starts) {
			return
		}
		from := b.starts[first]
		b.starts = b.starts[:first]
		for n := len(b.spans); n > 0 && b.spans[n-1].from >= from; n-- {
			b.spans = b.spans[:n-1]
		}
		b.spans = append(b.spans, span{from, e.Seq})
	}
}

// first is the index of the first question, of n, that d takes back; n if it takes none back.
func (d Undone) first(n int) int { return max(0, n-max(0, d.Runs)) }

// Holds reports whether an event belongs to a question that was taken back.
func (b *TakenBack) Holds(e Event) bool {
	i := sort.Search(len(b.spans), func(i int) bool { return b.spans[i].to > e.Seq })
	if i == len(b.spans) || e.Seq < b.spans[i].from {
		return false
	}
	switch e.Data.(type) {
	case ContextAdded, Renamed: // these belong to the session
		return e.Path != ""
	}
	return true
}
