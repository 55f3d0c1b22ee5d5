package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// at makes an event of the run at a path, in the second turn, which matters only for the root.
func at(path string, d trajectory.Data) trajectory.Event {
	return trajectory.Event{Path: path, Turn: 2, Data: d}
}

// resumed returns a journal over recorded events, in a log.
func resumed(t *testing.T, past ...trajectory.Event) *Journal {
	t.Helper()
	log, err := trajectory.Create(filepath.Join(t.TempDir(), "run"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	for i, ev := range past {
		written, err := log.Append(ev.Path, ev.Turn, ev.Data)
		require.NoError(t, err)
		past[i].Seq = written.Seq
	}
	return New(log, past)
}

// lines returns the events in a journal's log.
func lines(t *testing.T, j *Journal) []trajectory.Event {
	t.Helper()
	_, err := j.log.Settle()
	require.NoError(t, err)
	events, err := Read(j.log.Dir())
	require.NoError(t, err)
	return events
}

// Each step of a path is taken from the log. When the log has no more steps of that path, steps are done and
// recorded.
func TestStepsAreTakenFromTheLogFirst(t *testing.T) {
	j := resumed(t,
		at("", trajectory.TurnStarted{}),
		at("1.1/1", trajectory.ReplyReceived{Content: trajectory.T("of the child")}),
		at("", trajectory.ReplyReceived{Content: trajectory.T("recorded")}),
	)
	notDone := func() (trajectory.ReplyReceived, error) {
		assert.Fail(t, "a recorded step is done again")
		return trajectory.ReplyReceived{}, nil
	}
	_, err := Note(j, "", 1, trajectory.TurnStarted{})
	require.NoError(t, err)
	reply, recorded, err := Step(j, "", 1, notDone)
	require.NoError(t, err)
	require.True(t, recorded)
	require.Equal(t, "recorded", reply.Content.String())
	reply, recorded, err = Step(j, "1.1/1", 1, notDone)
	require.NoError(t, err)
	require.True(t, recorded)
	require.Equal(t, "of the child", reply.Content.String())
	require.Zero(t, j.LastSeq(), "nothing was written")

	reply, recorded, err = Step(j, "", 2, func() (trajectory.ReplyReceived, error) {
		return trajectory.ReplyReceived{Content: trajectory.T("new")}, nil
	})
	require.NoError(t, err)
	require.False(t, recorded)
	require.Equal(t, "new", reply.Content.String())
	require.EqualValues(t, 4, j.LastSeq())
	events := lines(t, j)
	require.Len(t, events, 4)
	require.Equal(t, 2, events[3].Turn)

	_, err = Note(j, "", 2, trajectory.TurnStarted{})
	require.NoError(t, err)
	require.EqualValues(t, 4, j.LastSeq(), "a step that costs nothing is posted, and nobody waits for it")
	require.Len(t, lines(t, j), 5)

	failure := errors.New("the endpoint is gone")
	_, recorded, err = Step(j, "", 2, func() (trajectory.ReplyReceived, error) {
		return trajectory.ReplyReceived{}, failure
	})
	require.ErrorIs(t, err, failure)
	require.False(t, recorded)
	require.Len(t, lines(t, j), 5, "a step that fails leaves nothing")
}

func TestAnotherStepThanTheRecordedOne(t *testing.T) {
	j := resumed(t, at("", trajectory.TurnStarted{}))
	_, _, err := Step(j, "", 1, func() (trajectory.ReplyReceived, error) { return trajectory.ReplyReceived{}, nil })
	require.ErrorContains(t, err, "event 1 of its log is turn_started, but the program now does something else there")
}

// RanNext reports whether a cell is the next step in the log.
func TestWhetherACellRanNext(t *testing.T) {
	j := resumed(t,
		at("", trajectory.CellStarted{Cell: 1, Source: "x := 1"}),
		at("", trajectory.TurnStarted{}), at("", trajectory.CellStarted{Cell: 2, Source: "y := 2"}),
	)
	require.True(t, j.RanNext("", "x := 1"))
	require.True(t, j.RanNext("", "x := 1"), "to ask takes no step")
	require.False(t, j.RanNext("", "y := 2"), "it runs later")
	require.False(t, j.RanNext("1.1/1", "x := 1"), "of another run")
	_, err := Note(j, "", 2, trajectory.CellStarted{})
	require.NoError(t, err)
	require.False(t, j.RanNext("", ""), "another step comes first")
}

// Some recorded events are not steps of the run: a person's cell, the context of the session, an end after which
// the run continues.
func TestWhatIsNoStep(t *testing.T) {
	own := trajectory.Event{Data: trajectory.CellStarted{Cell: 3}}
	j := resumed(t,
		own, trajectory.Event{Data: trajectory.CellEnded{Cell: 3, Result: []byte("{}")}},
		at("", trajectory.ContextAdded{}), at("1.1/1", trajectory.ContextAdded{}),
		at("", trajectory.Resumed{}),
		at("", trajectory.CellStarted{Cell: 4}),
		at("", trajectory.RunEnded{EndedBy: "interrupt"}),
		at("1.1/1", trajectory.RunEnded{EndedBy: "interrupt"}),
		at("", trajectory.RunEnded{EndedBy: "signal"}),
	)
	took := func(path string) (all []trajectory.Data) {
		for _, ev := range j.past[path] {
			all = append(all, ev.Data)
		}
		return all
	}
	require.Equal(t, []trajectory.Data{trajectory.CellStarted{Cell: 4}, trajectory.RunEnded{EndedBy: "signal"}},
		took(""))
	require.Equal(t, []trajectory.Data{trajectory.ContextAdded{}, trajectory.RunEnded{EndedBy: "interrupt"}},
		took("1.1/1"))
}

func TestSubCallsAreOpenedOnce(t *testing.T) {
	begun := Key{Cell: 1, Hash: "a", N: 1}
	j := resumed(t, at("", trajectory.SubCallStarted{Cell: 1, Hash: "a", N: 1}))
	require.True(t, j.Begun(begun))
	require.NoError(t, j.Open(begun, 1, trajectory.SubCallStarted{Cell: 1, Hash: "a", N: 1}, sandbox.Call{}, true))
	require.Len(t, lines(t, j), 1, "it stands in the log already")

	next := Key{Cell: 1, Hash: "a", N: 2}
	require.False(t, j.Begun(next))
	require.NoError(t, j.Open(next, 1, trajectory.SubCallStarted{Cell: 1, Hash: "a", N: 2}, sandbox.Call{}, true))
	require.True(t, j.Begun(next))
	require.EqualValues(t, 2, j.LastSeq(), "it is on disk")
	last := Key{Cell: 1, Hash: "b"}
	require.NoError(t, j.Open(last, 1, trajectory.SubCallStarted{Cell: 1, Hash: "b"}, sandbox.Call{}, false))
	require.EqualValues(t, 2, j.LastSeq())
	require.Len(t, lines(t, j), 3)
}

func TestRepliesAreAnsweredFromTheLog(t *testing.T) {
	recorded := Key{Path: "1.1/1", Cell: 2, Hash: "a"}
	j := resumed(t, at("1.1/1",
		trajectory.SubCallEnded{Cell: 2, Hash: "a", Reply: trajectory.T("yes"), Error: "e", Unwind: true}))
	reply, ok := j.Answered(recorded)
	require.True(t, ok)
	require.Equal(t, sandbox.Reply{Body: []byte("yes"), Error: "e", Unwind: true}, reply)
	_, ok = j.Answered(Key{Cell: 2, Hash: "a"})
	require.False(t, ok, "another run's")

	for i, hash := range []string{"b", "c"} {
		place, err := j.Close(Key{Path: "1.1/1", Cell: 2, Hash: hash}, 1, trajectory.SubCallEnded{Cell: 2, Hash: hash})
		require.NoError(t, err)
		require.Equal(t, i+1, place, "its place among those of this process")
		require.EqualValues(t, i+2, j.LastSeq())
	}
	place, err := j.Close(Key{Cell: 2, Hash: "b"}, 1, trajectory.SubCallEnded{Cell: 2, Hash: "b"})
	require.NoError(t, err)
	require.Equal(t, 1, place, "of another cell")
}

// A resumed cell gets the clock readings, timers and replies of its first run again, in the order of the log.
func TestACellGoesOnFromWhatItWasGiven(t *testing.T) {
	fired := []trajectory.TimerFired{{Timer: 1, After: 0}, {Timer: 2, After: 1}}
	started := func(hash string, g trajectory.CellInputs) trajectory.Event {
		return at("", trajectory.SubCallStarted{Cell: 1, Hash: hash, Given: g})
	}
	ended := func(hash, reply string) trajectory.Event {
		return at("", trajectory.SubCallEnded{Cell: 1, Hash: hash, Reply: trajectory.T(reply)})
	}
	j := resumed(t,
		started("a", trajectory.CellInputs{Clock: []int64{10, 20}, Fired: fired[:1]}),
		started("late", trajectory.CellInputs{ClockFrom: 1, Clock: []int64{20}}),
		started("b", trajectory.CellInputs{ClockFrom: 2, Clock: []int64{30}, FiredFrom: 1, Fired: fired[1:]}),
		started("gap", trajectory.CellInputs{ClockFrom: 4, Clock: []int64{50}, FiredFrom: 3, Fired: fired}),
		started("longer", trajectory.CellInputs{
			ClockFrom: 1, Clock: []int64{20, 30, 40}, FiredFrom: 1, Fired: fired[1:],
		}),
		ended("b", "first"), ended("a", "second"), ended("b", "again"),
	)
	cell := j.Resumed("", sandbox.Cell{Number: 1, Source: "x"})
	require.Equal(t, "x", cell.Source)
	require.Equal(t, []int64{10, 20, 30, 40}, cell.Clock)
	require.Len(t, cell.Fired, 2)
	require.EqualValues(t, 2, cell.Fired[1].Timer)
	require.Equal(t, 1, cell.Fired[1].After)
	require.Equal(t, []sandbox.CallRecord{
		{Hash: "b", Reply: sandbox.Reply{Body: []byte("again")}},
		{Hash: "a", Reply: sandbox.Reply{Body: []byte("second")}},
	}, cell.Calls)
	require.Empty(t, j.Resumed("", sandbox.Cell{Number: 2}).Clock)

	// A new call records only the inputs that no earlier call has recorded.
	call := sandbox.Call{Clock: []int64{10, 20, 30, 40, 50}, Fired: append(cell.Fired, cell.Fired[0])}
	require.NoError(t, j.Open(
		Key{Cell: 1, Hash: "new"}, 1, trajectory.SubCallStarted{Cell: 1, Hash: "new"}, call, false))
	require.NoError(t, j.Open(
		Key{Cell: 1, Hash: "newer"}, 1, trajectory.SubCallStarted{Cell: 1, Hash: "newer"}, call, false))
	events := lines(t, j)
	require.Equal(t, trajectory.CellInputs{ClockFrom: 4, Clock: []int64{50}, FiredFrom: 2, Fired: fired[:1]},
		events[len(events)-2].Data.(trajectory.SubCallStarted).Given)
	require.Zero(t, events[len(events)-1].Data.(trajectory.SubCallStarted).Given, "the call before has told all")
	earlier := sandbox.Call{Clock: []int64{10}, Fired: cell.Fired[:1]}
	require.NoError(t, j.Open(
		Key{Cell: 1, Hash: "early"}, 1, trajectory.SubCallStarted{Cell: 1, Hash: "early"}, earlier, false))
	require.Len(t, j.Resumed("", sandbox.Cell{Number: 1}).Clock, 5)
	require.Len(t, j.Resumed("", sandbox.Cell{Number: 1}).Fired, 3)

	onlyFired := sandbox.Call{Clock: call.Clock, Fired: append(call.Fired, call.Fired[1])}
	require.NoError(t, j.Open(
		Key{Cell: 1, Hash: "fired"}, 1, trajectory.SubCallStarted{Cell: 1, Hash: "fired"}, onlyFired, false))
	events = lines(t, j)
	require.Equal(t, trajectory.CellInputs{ClockFrom: 5, FiredFrom: 3, Fired: fired[1:]},
		events[len(events)-1].Data.(trajectory.SubCallStarted).Given)
}

func TestPathsOfChildren(t *testing.T) {
	batch := func(id, index int) builtins.Batch { return builtins.Batch{ID: id, Index: index, Size: 3} }
	key := func(path string, cell int, hash string) Key { return Key{Path: path, Cell: cell, Hash: hash} }
	j := resumed(t,
		at("", trajectory.SubCallStarted{Cell: 2, Hash: "single", Child: "1.2/4"}),
		at("", trajectory.SubCallStarted{
			Cell: 3, Hash: "second of three", Child: "1.3/2", Batch: 1, Index: 1, Size: 3,
		}),
		at("", trajectory.SubCallStarted{Cell: 4, Hash: "no number", Child: "1.4/x"}),
		at("", trajectory.SubCallStarted{Cell: 4, Hash: "no child"}),
	)
	require.Equal(t, "1.2/4", j.Child(key("", 2, "single"), 1, builtins.Batch{}), "the recorded one")
	require.Equal(t, "1.2/5", j.Child(key("", 2, "new"), 1, builtins.Batch{}))
	require.Equal(t, "1.2/6", j.Child(key("", 2, "newer"), 1, builtins.Batch{}))
	require.Equal(t, "1.2/9", j.Child(key("", 2, "b"), 1, batch(1, 2)),
		"in the order of the prompts, whichever comes first")
	require.Equal(t, "1.2/7", j.Child(key("", 2, "b0"), 1, batch(1, 0)))
	require.Equal(t, "1.2/12", j.Child(key("", 2, "c"), 1, batch(2, 2)))
	require.Equal(t, "1.2/13", j.Child(key("", 2, "last"), 1, builtins.Batch{}))
	require.Equal(t, "1.3/1", j.Child(key("", 3, "first"), 1, batch(1, 0)),
		"of the batch whose second call is recorded")
	require.Equal(t, "1.3/3", j.Child(key("", 3, "third"), 1, batch(1, 2)))
	require.Equal(t, "1.3/4", j.Child(key("", 3, "other"), 1, builtins.Batch{}))
	require.Equal(t, "1.4/1", j.Child(key("", 4, "a"), 1, builtins.Batch{}))
	require.Equal(t, "7.4/1", j.Child(key("", 4, "b"), 7, builtins.Batch{}), "of another run")
	require.Equal(t, "1.2/4.1/1", j.Child(key("1.2/4", 1, "deep"), 1, builtins.Batch{}))

	for path, above := range map[string]string{"1.3/2": "", "1.3/2.1/1": "1.3/2", "1.3/2.10/1.4/5": "1.3/2.10/1"} {
		require.Equal(t, above, Above(path))
	}
}

// Calls that failed because no endpoint answered are made again if their cells did not end: nothing was paid for
// them.
func TestCallsThatNobodyAnsweredAreMadeAgain(t *testing.T) {
	failed := func(path string, cell int, hash, kind string) trajectory.Event {
		return at(path, trajectory.SubCallEnded{Cell: cell, Hash: hash, Error: "no", ErrorKind: kind, Model: "m"})
	}
	j := resumed(t,
		at("", trajectory.SubCallStarted{Cell: 1, Hash: "told"}), failed("", 1, "told", "auth"),
		at("", trajectory.CellEnded{Cell: 1, Result: []byte("{}")}),
		failed("", 2, "auth", "auth"), failed("", 2, "quota", "quota"), failed("", 2, "gone", "unavailable"),
		failed("", 2, "bad", "bad_request"),
		at("", trajectory.SubCallStarted{Cell: 2, Hash: "child", Child: "1.2/1"}),
		at("1.2/1", trajectory.RunEnded{EndedBy: "endpoint", ErrorKind: "quota"}), failed("", 2, "child", "quota"),
		at("", trajectory.SubCallStarted{Cell: 2, Hash: "untold", Child: "1.2/2"}),
		at("1.2/2", trajectory.RunEnded{EndedBy: "endpoint", ErrorKind: "quota"}),
		at("", trajectory.SubCallStarted{Cell: 2, Hash: "answered", Child: "1.2/3"}),
		at("1.2/3", trajectory.RunEnded{EndedBy: "endpoint", ErrorKind: "quota"}),
		at("", trajectory.SubCallEnded{Cell: 2, Hash: "answered", Reply: trajectory.T("partial")}),
		at("", trajectory.SubCallStarted{Cell: 2, Hash: "other", Child: "1.2/4"}),
		at("1.2/4", trajectory.RunEnded{EndedBy: "endpoint", ErrorKind: "bad_request"}),
	)
	for hash, answered := range map[string]bool{
		"auth": false, "quota": false, "gone": false, "bad": true, "child": false, "answered": true,
	} {
		_, ok := j.Answered(Key{Cell: 2, Hash: hash})
		require.Equal(t, answered, ok, hash)
	}
	_, ok := j.Answered(Key{Cell: 1, Hash: "told"})
	require.True(t, ok, "its cell has ended: a model has seen that it failed")
	for child, goesOn := range map[string]bool{"1.2/1": true, "1.2/2": true, "1.2/3": false, "1.2/4": false} {
		require.Equal(t, goesOn, len(j.past[child]) == 0, child)
	}
}

func TestOutages(t *testing.T) {
	end := func(j *Journal, hash string, d trajectory.SubCallEnded) {
		d.Cell, d.Hash = 1, hash
		_, err := j.Close(Key{Cell: 1, Hash: hash}, 1, d)
		require.NoError(t, err)
	}
	dead := trajectory.SubCallEnded{Error: "the key is refused", ErrorKind: "auth", Model: "m"}
	j := resumed(t,
		at("", trajectory.SubCallStarted{Cell: 1, Hash: "b1", Batch: 1}),
		at("", trajectory.SubCallStarted{Cell: 1, Hash: "b2", Batch: 2}),
		at("", trajectory.SubCallStarted{Cell: 1, Hash: "b2b", Batch: 2}),
		at("", trajectory.SubCallStarted{Cell: 1, Hash: "tool", Tool: "t"}),
	)
	require.Nil(t, j.Outcome("", 1).Outage())
	end(j, "tool", trajectory.SubCallEnded{Error: "no", ErrorKind: "auth", Model: "m"})
	end(j, "unwound", trajectory.SubCallEnded{Unwind: true, Error: "no", ErrorKind: "auth", Model: "m"})
	end(j, "nobody asked", trajectory.SubCallEnded{Error: "no", ErrorKind: "auth"})
	require.Nil(t, j.Outcome("", 1).Outage())

	end(j, "b2", dead)
	require.EqualError(t, j.Outcome("", 1).Outage(), dead.Error)
	require.Nil(t, j.Outcome("1.1/1", 1).Outage(), "of another run")
	end(j, "b1", trajectory.SubCallEnded{Model: "m"})
	require.NotNil(t, j.Outcome("", 1).Outage(), "another batch was answered")
	end(j, "b2b", trajectory.SubCallEnded{Error: "too long", ErrorKind: "context", Model: "m"})
	require.Nil(t, j.Outcome("", 1).Outage(), "one failed for a reason of its own")
	require.Zero(t, j.Outcome("", 1).Ends[trajectory.Cut])
	end(j, "cut", trajectory.SubCallEnded{Model: "m", Reply: trajectory.T("half"), FinishReason: "length"})
	end(j, "cut too", trajectory.SubCallEnded{Model: "m", Reply: trajectory.T("half"), FinishReason: "length"})
	require.Equal(t, 2, j.Outcome("", 1).Ends[trajectory.Cut])
}

// Once the log cannot be written, every step fails with the first error.
func TestALogThatCannotBeWritten(t *testing.T) {
	j := resumed(t)
	require.NoError(t, j.Announced())
	require.NoError(t, j.Failed())
	require.NoError(t, j.log.Close())
	err := j.Append("", 1, trajectory.TurnStarted{})
	require.ErrorContains(t, err, "writing the log of the run: ")
	require.Equal(t, err, j.Failed())
	require.Equal(t, err, j.Post("", 1, trajectory.TurnStarted{}))
	_, _, stepErr := Step(j, "", 1, func() (trajectory.TurnStarted, error) { return trajectory.TurnStarted{}, nil })
	require.Equal(t, err, stepErr)
	place, closeErr := j.Close(Key{Hash: "a"}, 1, trajectory.SubCallEnded{Hash: "a"})
	require.Equal(t, err, closeErr)
	require.Zero(t, place)
	require.Zero(t, j.LastSeq())
}

// full is a store that refuses every event.
type full struct{}

var errFull = errors.New("the store is full")

func (full) Commit([]trajectory.Event) error { return errFull }

// Whatever must be on record counts only once the store of the log has it.
func TestAStoreThatRefuses(t *testing.T) {
	key := Key{Cell: 1, Hash: "a"}
	ended := trajectory.SubCallEnded{Cell: 1, Hash: "a", Model: "m", FinishReason: "length"}
	for name, do := range map[string]func(*Journal) error{
		"append": func(j *Journal) error { return j.Append("", 1, trajectory.ReplyReceived{}) },
		"close": func(j *Journal) error {
			place, err := j.Close(key, 1, ended)
			assert.Zero(t, place)
			return err
		},
		"announced": func(j *Journal) error {
			require.NoError(t, j.Open(key, 1, trajectory.SubCallStarted{Cell: 1, Hash: "a"}, sandbox.Call{}, false))
			return j.Announced()
		},
		"settle": func(j *Journal) error {
			require.NoError(t, j.Post("", 1, trajectory.TurnStarted{}))
			return j.Settle()
		},
	} {
		log, err := trajectory.Create(filepath.Join(t.TempDir(), "run"), full{})
		require.NoError(t, err)
		j := New(log, nil)
		err = do(j)
		require.ErrorIs(t, err, errFull, name)
		require.Equal(t, err, j.Failed(), name)
		require.Zero(t, j.Outcome("", 1), name)
		require.NoError(t, log.Close())
	}
	j := resumed(t)
	require.NoError(t, j.Settle())
}

// Every retry of the run itself is shown; of those of a batch's sub-calls, one a second.
func TestRetriesAreShownOnceASecond(t *testing.T) {
	j := resumed(t)
	events, stop := j.log.Subscribe()
	defer stop()
	for range 3 {
		j.Retried("", 1, trajectory.CallRetried{})
		j.Retried("", 1, trajectory.CallRetried{Cell: 1})
		j.Retried("1.1/1", 1, trajectory.CallRetried{})
	}
	require.NoError(t, j.log.Close())
	seen := map[string]int{}
	for ev := range events {
		seen[fmt.Sprint(ev.Path, ev.Data.(trajectory.CallRetried).Cell)]++
	}
	require.Equal(t, map[string]int{"0": 3, "1": 1}, seen)
}

func TestReadOfAFolderWithoutALog(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
