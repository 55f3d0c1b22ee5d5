package trajectory_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func create(t testing.TB) *trajectory.Log {
	t.Helper()
	log, err := trajectory.Create(t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

func TestSubscribersGetEventsInOrder(t *testing.T) {
	log := create(t)
	_, err := log.Append("", 0, trajectory.Warned{Text: "before"})
	require.NoError(t, err)
	events, stop := log.Subscribe()
	defer stop()
	_, err = log.Append("", 0, trajectory.RunStarted{Question: "q"})
	require.NoError(t, err)
	delta, err := log.Append("", 1, trajectory.ReplyDelta{Content: "par"})
	require.NoError(t, err)
	require.Equal(t, int64(2), delta.Seq)
	_, err = log.Append("", 1,
		trajectory.CallRetried{Model: "m", Reason: "HTTP 429", Attempt: 2, Tries: 5, Wait: time.Second})
	require.NoError(t, err)
	_, err = log.Append("", 1, trajectory.ReplyReceived{Content: trajectory.T("part")})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	var got []string
	for e := range events {
		got = append(got, fmt.Sprint(e.Seq, " ", e.Data.EventType()))
	}
	require.Equal(t, []string{"2 run_started", "2 reply_delta", "2 call_retried", "3 reply_received"}, got)
	require.Len(t, readAll(t, log.Dir()), 3, "transient events are not in the log")
}

func TestSlowSubscriberLosesOnlyTransientEvents(t *testing.T) {
	for name, text := range map[string]string{"many events": "x", "long texts": strings.Repeat("long ", 20_000)} {
		t.Run(name, func(t *testing.T) {
			log := create(t)
			events, stop := log.Subscribe()
			defer stop()
			const n = 3000
			write := func(from, to int) {
				for i := from; i < to; i++ {
					_, err := log.Append("", i, trajectory.SubCallEnded{N: i, Reply: trajectory.T(text)})
					assert.NoError(t, err)
					_, err = log.Append("", i, trajectory.ReplyDelta{Content: "y"})
					assert.NoError(t, err)
				}
			}
			// Nobody reads during most of the writing: writing must not wait.
			write(0, n-500)
			var wg sync.WaitGroup
			wg.Go(func() {
				write(n-500, n)
				assert.NoError(t, log.Close())
			})
			next, deltas := 0, 0
			for e := range events {
				switch d := e.Data.(type) {
				case trajectory.SubCallEnded:
					require.Equal(t, next, d.N)
					require.Equal(t, text, d.Reply.String())
					next++
				case trajectory.ReplyDelta:
					deltas++
				}
			}
			wg.Wait()
			require.Equal(t, n, next)
			require.Less(t, deltas, n)
		})
	}
}

// live is the memory in use, in bytes.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// While a reader handles a long text, no other text waits in memory; the reader gets all of them in the end.
func TestLongTextsDoNotAddUpForASlowSubscriber(t *testing.T) {
	const size, n = 16 << 20, 5
	log := create(t)
	events, stop := log.Subscribe()
	defer stop()
	write := func(i int) {
		_, err := log.Append("", i,
			trajectory.SubCallEnded{N: i, Reply: trajectory.T(strings.Repeat(fmt.Sprint(i), size))})
		require.NoError(t, err)
	}
	before := live()
	write(0)
	next := 0
	for e := range events {
		d := e.Data.(trajectory.SubCallEnded)
		require.Equal(t, next, d.N)
		require.EqualValues(t, size, d.Reply.Size())
		if next == 0 {
			for i := 1; i < n; i++ {
				write(i)
			}
			require.Less(t, live(), before+size+size/2)
		}
		runtime.KeepAlive(e)
		if next++; next == n {
			stop()
		}
	}
	require.Equal(t, n, next)
}

func TestStopEndsASubscription(t *testing.T) {
	log := create(t)
	events, stop := log.Subscribe()
	done := make(chan int)
	go func() {
		n := 0
		for range events {
			n++
			stop()
			stop()
		}
		done <- n
	}()
	for range 3 {
		_, err := log.Append("", 0, trajectory.Warned{})
		require.NoError(t, err)
	}
	require.Equal(t, 1, <-done)

	events, stop = log.Subscribe()
	defer stop()
	_, err := log.Append("", 0, trajectory.Warned{})
	require.NoError(t, err)
	for range events {
		break
	}
	require.Empty(t, slices.Collect(events), "a subscription can be ranged over once")
}

func TestTransientEventsDoNotOvertakeDurableOnes(t *testing.T) {
	log := create(t)
	events, stop := log.Subscribe()
	defer stop()
	const turns = 200
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() {
		for turn := 1; turn <= turns; turn++ {
			_, err := log.Post("", turn, trajectory.TurnStarted{})
			assert.NoError(t, err)
			_, err = log.Append("", turn, trajectory.ReplyDelta{Content: "piece"})
			assert.NoError(t, err)
			if turn%20 == 0 {
				_, err = log.Append("", turn, trajectory.ReplyReceived{})
				assert.NoError(t, err)
			}
		}
		assert.NoError(t, log.Close())
	})
	var seq int64
	started, pieces := 0, 0
	for ev := range events {
		require.GreaterOrEqual(t, ev.Seq, seq)
		seq = ev.Seq
		switch ev.Data.(type) {
		case trajectory.TurnStarted:
			started = ev.Turn
		case trajectory.ReplyDelta:
			pieces++
			require.Equal(t, started, ev.Turn, "the piece of a reply came before its turn")
		}
	}
	require.Equal(t, turns, started)
	require.Positive(t, pieces)
}
