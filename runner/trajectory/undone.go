package trajectory

// Kept returns the events of a session without the questions that were taken back: what the session's
// conversation and notebook are made of. Undone events are left out with what they undo. What a person did
// to the session itself meanwhile (a context added, a new name) stays. The input is not changed.
//
// What the questions cost stays spent, so costs and token counts are summed over all events instead.
func Kept(events []Event) []Event {
	kept := make([]Event, 0, len(events))
	var starts []int // where the questions that are still there begin in kept
	for _, e := range events {
		switch d := e.Data.(type) {
		case RunStarted:
			if e.Path == "" {
				starts = append(starts, len(kept))
			}
		case Undone:
			if first := d.first(len(starts)); first < len(starts) {
				kept = withoutQuestions(kept, starts[first])
				starts = starts[:first]
			}
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// first is the index of the first question that d takes back, of n that are there; n if it takes back none.
func (d Undone) first(n int) int { return max(0, n-max(0, d.Runs)) }

// withoutQuestions drops the events from start on, except those that belong to the session.
func withoutQuestions(events []Event, start int) []Event {
	kept := events[:start]
	for _, e := range events[start:] {
		switch e.Data.(type) {
		case ContextAdded, Renamed:
			if e.Path == "" {
				kept = append(kept, e)
			}
		}
	}
	return kept
}
