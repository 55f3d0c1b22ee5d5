package journal

import (
	"fmt"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Step answers with the next recorded step of the run at a path, or does it and appends the result. D may be an interface:
// then the step has several outcomes.
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

// Note takes a step whose content is known beforehand.
func Note[D trajectory.Data](j *Journal, path string, turn int, d D) (D, error) {
	d, _, err := Step(j, path, turn, func() (D, error) { return d, nil })
	return d, err
}

// next takes the next recorded step of a path. A recorded step of another kind is an error: the run would do something else
// than it did.
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
	return d, false, fmt.Errorf("this run cannot be resumed: event %d of its log is %s where the program now does something else. "+
		"Another version of the program wrote it, or another configuration; open the session and ask again, or fork the run from an earlier turn",
		events[0].Seq, events[0].Data.EventType())
}

// paid reports whether a step must be on disk before the run goes on: a reply was paid for, and an end is told to the world.
func paid(d trajectory.Data) bool {
	switch d.(type) {
	case trajectory.ReplyReceived, trajectory.RunEnded:
		return true
	}
	return false
}
