package batch

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
)

// A log gets one line per minute.
func TestALineAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		v := newView(Options{Err: screen.NewOutput(&out)}, fleet.Batch{ID: "b"}, fleet.SubmitResult{New: 3})
		v.begin(fleet.Status{Jobs: 3})
		time.Sleep(150 * time.Second)
		v.result(fleet.Result{ID: "a", State: fleet.Done, Unpriced: []string{"m"}})
		time.Sleep(60 * time.Second)
		v.close()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 4, out.String())
		require.Equal(t, "batch b: 3 new", lines[0])
		require.Contains(t, lines[2], "0 of 3 done")
		require.Contains(t, lines[3], "1 of 3 done · 0 running · cost unknown")
	})
}

// What is left is estimated from what is done: not when all that is left has run for longer.
func TestTheEstimateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(Options{Err: screen.NewOutput(&bytes.Buffer{}), Quiet: true}, fleet.Batch{}, fleet.SubmitResult{})
		v.status.Jobs = 4
		v.running["a"], v.running["b"] = time.Now(), time.Now()
		time.Sleep(3 * time.Second)
		v.result(fleet.Result{ID: "c", State: fleet.Done})
		require.Contains(t, v.line(time.Now()), "about 9s left", "one waits")
		v.result(fleet.Result{ID: "d", State: fleet.Done})
		time.Sleep(time.Minute)
		require.NotContains(t, v.line(time.Now()), "left")
		require.Contains(t, v.line(time.Now()), "slowest")
	})
}

// The first Ctrl-C reports what continues and what a second one does.
func TestStopping(t *testing.T) {
	var out bytes.Buffer
	v := newView(Options{Err: screen.NewOutput(&out), Quiet: true}, fleet.Batch{}, fleet.SubmitResult{})
	v.stopping()
	require.Equal(t, "stopping; Ctrl-C again stops now\n", out.String(), "of nothing it is known that it runs")
	out.Reset()
	v.running["a"] = time.Now()
	v.stopping()
	require.Equal(t, "stopping after the running job; Ctrl-C again stops now\n", out.String())
	v.close()
}

// An unknown cost is never $0.00.
func TestCostsThatAreNotKnown(t *testing.T) {
	require.Contains(t, summary(fleet.Status{Jobs: 1, Done: 1, Unpriced: true}), " · cost unknown · ")
	require.Contains(t, summary(fleet.Status{Jobs: 1, Done: 1, Cost: 2, Unpriced: true}), " · at least $2.00 · ")
	var out bytes.Buffer
	require.NoError(t, WriteList(screen.NewOutput(&out), []fleet.Status{{Unpriced: true}}))
	require.Regexp(t, `0 +unknown +`, out.String())
}
