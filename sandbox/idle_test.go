package sandbox

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cell counts as waiting for a call until the reply is sent, even if the host already has the reply; otherwise
// the cell would seem to wait for ever.
func TestAReplyOnItsWayIsWaitedFor(t *testing.T) {
	u := openUsage(os.Getpid())
	defer u.close()
	r := &cellRun{s: &Session{}, p: &process{}, lease: &workerUsage{}, calls: newCallTable(nil), clock: newCellClock(u)}
	r.calls.inFlight = 1
	require.Equal(t, 1, r.calls.waitedFor())
	require.Same(t, r.p, r.settle(&pendingCall{record: CallRecord{Hash: "h"}, to: r.p}))
	require.Zero(t, r.calls.inFlight, "it counts as answered, so the worker may call again")
	require.Equal(t, 1, r.calls.waitedFor())
	r.sent()
	require.Zero(t, r.calls.waitedFor())
}

// A cell's report about itself counts only if no reply was sent in the meantime.
func TestASuspicionThatAReplyOvertook(t *testing.T) {
	i := newIdleDetector(0, time.Second)
	i.at = time.Now().Add(-time.Hour)
	require.True(t, i.suspicious(0))
	require.True(t, i.still())
	i.heard(1)
	require.False(t, i.still())
	i.wrong(false)
	require.False(t, i.suspicious(0), "it has had no time to deal with the reply")
}
