package journal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestWhetherTheRecordGoesOn(t *testing.T) {
	j := resumed(t, at("", trajectory.TurnStarted{}), at("", trajectory.RunEnded{EndedBy: "signal"}))
	require.True(t, j.GoesOn(""))
	require.False(t, j.GoesOn("1.1/1"))
	_, err := Note(j, "", 1, trajectory.TurnStarted{})
	require.NoError(t, err)
	require.False(t, j.GoesOn(""), "only its end is left")
}

// What need not be recorded is done only behind the end of the record.
func TestAStepThatMayBeMissing(t *testing.T) {
	j := resumed(t, at("", trajectory.Nudged{Text: "recorded"}), at("", trajectory.TurnStarted{}))
	remark := func(text string, found bool) (string, error) {
		d, err := Optional(j, "", 1, func() (trajectory.Nudged, bool) { return trajectory.Nudged{Text: text}, found })
		return d.Text, err
	}
	for _, step := range []string{"recorded", "", ""} { // the last two: the run began its turn without a remark
		text, err := remark("made again", true)
		require.NoError(t, err)
		require.Equal(t, step, text)
	}
	_, err := Note(j, "", 1, trajectory.TurnStarted{})
	require.NoError(t, err)
	text, err := remark("", false)
	require.NoError(t, err)
	require.Empty(t, text)
	text, err = remark("new", true)
	require.NoError(t, err)
	require.Equal(t, "new", text)
	events := lines(t, j)
	require.Len(t, events, 3)
	require.Equal(t, trajectory.Nudged{Text: "new"}, events[2].Data)
}

// A model call that was in flight when its process ended may have been paid for. That is counted once.
func TestCallsThatWereInFlight(t *testing.T) {
	started := func(path, hash string) trajectory.Event {
		return at(path, trajectory.SubCallStarted{Cell: 1, Hash: hash, Model: "m"})
	}
	turn := func(path string) Key { return Key{Path: path} }
	call := func(path, hash string) Key { return Key{Path: path, Cell: 1, Hash: hash} }
	child := at("", trajectory.SubCallStarted{Cell: 1, Hash: "child", Model: "m", Child: "1.1/1"})
	tool := at("", trajectory.SubCallStarted{Cell: 1, Hash: "tool", Tool: "search"})
	for name, c := range map[string]struct {
		past     []trajectory.Event
		inFlight []Key
		not      []Key
	}{
		"a turn": {
			[]trajectory.Event{at("", trajectory.TurnStarted{}), at("1.1/1", trajectory.TurnStarted{})},
			[]Key{turn(""), turn("1.1/1")},
			[]Key{turn("1.1/2")},
		},
		"turns that came to an end": {
			[]trajectory.Event{
				at("", trajectory.TurnStarted{}), at("", trajectory.ReplyReceived{}),
				at("1.1/1", trajectory.TurnStarted{}), at("1.1/1", trajectory.TurnFailed{}),
			},
			nil,
			[]Key{turn(""), turn("1.1/1")},
		},
		"a sub-call": {
			[]trajectory.Event{
				started("", "a"), started("", "b"), at("", trajectory.SubCallEnded{Cell: 1, Hash: "b"}),
			},
			[]Key{call("", "a")},
			[]Key{call("", "b")},
		},
		"what calls no model itself": {
			[]trajectory.Event{child, tool}, nil, []Key{call("", "child"), call("", "tool")},
		},
		"a run that ended has waited for its calls": {
			[]trajectory.Event{started("", "a"), at("1.1/1", trajectory.TurnStarted{}), at("", trajectory.RunEnded{})},
			nil,
			[]Key{call("", "a"), turn("1.1/1")},
		},
		"a child has waited for its own": {
			[]trajectory.Event{started("", "a"), started("1.1/1", "b"), at("1.1/1", trajectory.RunEnded{})},
			[]Key{call("", "a")},
			[]Key{call("1.1/1", "b")},
		},
		"and are in flight again in the process that resumes": {
			[]trajectory.Event{started("", "a"), at("", trajectory.RunEnded{}), at("", trajectory.Resumed{})},
			[]Key{call("", "a")},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := resumed(t, c.past...)
			for _, k := range c.inFlight {
				require.True(t, j.Interrupted(k), k)
				require.False(t, j.Interrupted(k), "it is counted once")
			}
			for _, k := range c.not {
				require.False(t, j.Interrupted(k), k)
			}
		})
	}
}
