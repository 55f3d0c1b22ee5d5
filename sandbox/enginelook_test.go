package sandbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// TestQuestionsLeaveTheCellMostOfItsTime: if a worker takes long to report what its many goroutines do, the host
// asks less often.
func TestQuestionsLeaveTheCellMostOfItsTime(t *testing.T) {
	const after = 250 * time.Millisecond
	for answer, least := range map[time.Duration]float64{time.Millisecond: 0.9, time.Second: 0.6} {
		m := moveState{may: true}
		used, answering := time.Duration(0), time.Duration(0)
		for used < time.Minute {
			used += time.Millisecond
			if m.due(used, after) {
				used, answering = used+answer, answering+answer
				require.True(t, m.looked(wire.PeekMeta{}))
			}
		}
		require.Positive(t, answering)
		require.Greater(t, 1-answering.Seconds()/used.Seconds(), least, "%s for an answer", answer)
	}
	m := moveState{may: true}
	for range enoughHits {
		require.True(t, m.due(after+time.Millisecond, after))
		m.looked(wire.PeekMeta{Computes: true})
	}
	require.True(t, m.now, "a cell that computes moves")
}

// TestACellThatEndsAsItIsToMoveMoves: its worker is being killed, so the next cell would find it dead.
func TestACellThatEndsAsItIsToMoveMoves(t *testing.T) {
	r := &cellRun{moving: moveState{may: true, now: true}}
	f := wire.Frame{Header: wire.Header{Op: wire.Result}, Release: func() {}}
	require.Empty(t, r.handle(t.Context(), f))
	require.True(t, r.moves())
}
