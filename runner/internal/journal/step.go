package journal

import (
	"fmt"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Step returns the next recorded step of the run at a path, or does it and appends the result. D may be an
// interface if the step has several outcomes.
func Step[D trajectory.Data](j *Journal, path string, turn int, do func() (D, error)) (d D, recorded bool, err error) {
	d, recorded, err = next[D](j, path)
	if recorded || err != nil {
		return d, recorded, err
	}
	if d, err = do(); err != nil {
		return d, false, err
	}
	if paid(d) {
		return d, false, j.Append(path, turn, d)
	}
	return d, false, j.Post(path, turn, d)
}

// Note is Step for a result that is known beforehand.
func Note[D trajectory.Data](j *Journal, path string, turn int, d D) (D, error) {
	d, _, err := Step(j, path, turn, func() (D, error) { return d, nil })
	return d, err
}

// ahead is the next recorded step of the run at a path, nil at the end of the record. The caller holds mu.
func (j *Journal) ahead(path string) trajectory.Data {
	if events := j.past[path]; len(events) > 0 {
		return events[0].Data
	}
	return nil
}

// RanNext reports whether the next recorded step of the run at a path is the start of a cell with this source.
func (j *Journal) RanNext(path, source string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.ahead(path).(trajectory.CellStarted)
	return ok && d.Source == source
}

// next takes the next recorded step of a path. A recorded step of another kind is an error: the run would diverge
// from its record.
func next[D trajectory.Data](j *Journal, path string) (d D, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	events := j.past[path]
	if len(events) == 0 {
		return d, false, nil
	}
	if d, ok = events[0].Data.(D); ok {
		j.past[path] = events[1:]
		return d, true, nil
	}
	return d, false, fmt.Errorf(
		"this run cannot be resumed: event %d of its log is %s, but the program now does something else there. "+
			"Another version of the program wrote it, or another configuration; open the session and ask again, or fork the run from an earlier turn",
		events[0].Seq, events[0].Data.EventType())
}

// paid reports whether a step must be on disk before the run continues: a reply, which is paid for, or an end,
// which is reported outside.
func paid(d trajectory.Data) bool {
	switch d.(type) {
	case trajectory.ReplyReceived, trajectory.RunEnded:
		return true
	}
	return false
}

// DropRemarks skips recorded remarks to the model that another version of the program made.
func (j *Journal) DropRemarks(path string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		switch j.ahead(path).(type) {
		case trajectory.Nudged, trajectory.SignalIgnored:
			j.past[path] = j.past[path][1:]
		default:
			return
		}
	}
}

// SaidNext reports whether the next recorded step of the run at a path is a message to the model.
func (j *Journal) SaidNext(path string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.ahead(path).(trajectory.MessageAdded)
	return ok
}

// GoesOn reports whether the log of the run at a path has further steps.
func (j *Journal) GoesOn(path string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := j.ahead(path)
	_, ended := d.(trajectory.RunEnded)
	return d != nil && !ended
}

// Optional is a step that is recorded only if there is something to record. If the log continues with another step,
// there was nothing to record.
func Optional[D trajectory.Data](j *Journal, path string, turn int, do func() (d D, found bool)) (D, error) {
	j.mu.Lock()
	recorded := j.ahead(path)
	d, ok := recorded.(D)
	if ok {
		j.past[path] = j.past[path][1:]
	}
	j.mu.Unlock()
	if recorded != nil {
		return d, nil
	}
	if found, is := do(); is {
		return found, j.Post(path, turn, found)
	}
	return d, nil
}
