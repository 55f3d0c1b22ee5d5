package trajectory_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// What waits for a slow reader is bounded; the rest is read from the log. So with its log gone, a reader gets exactly
// what waited.
func TestWhatWaitsForASlowReader(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP TestWhatWaitsForASlowReader: an open file cannot be deleted on windows")
	}
	text := func(size int) trajectory.Text { return trajectory.T(strings.Repeat("x", size)) }
	reply := func(size int) trajectory.Data { return trajectory.SubCallEnded{Reply: text(size)} }
	many := func(n int, d trajectory.Data) (out []trajectory.Data) {
		for range n {
			out = append(out, d)
		}
		return out
	}
	piece := trajectory.ReplyDelta{Content: "x"}
	inLine := trajectory.ReplyReceived{Content: text(2 << 10), Reasoning: text(2 << 10), Parts: text(2 << 10)}
	for what, c := range map[string]struct {
		first, later []trajectory.Data // later: while the reader has the first
		want         int
	}{
		"as many as there is room for":      {nil, many(1024, trajectory.Warned{}), 1024},
		"one more":                          {nil, many(1025, trajectory.Warned{}), 1024},
		"a piece of a reply":                {nil, append(many(511, trajectory.Warned{}), piece), 512},
		"a piece when half is full":         {nil, append(many(512, trajectory.Warned{}), piece), 512},
		"long texts that fit":               {nil, many(2, reply(2<<20)), 2},
		"one that does not":                 {nil, []trajectory.Data{reply(2 << 20), reply(2<<20 + 1)}, 1},
		"one that is too long, alone":       {nil, many(1, reply(4<<20+1)), 1},
		"another, while the first is read":  {many(1, reply(4<<20+1)), many(1, reply(4<<20+2)), 1},
		"another, and the first is shorter": {many(1, reply(4<<20)), many(1, reply(4<<20+1)), 2},
		"a short one, after a long one":     {many(1, reply(5<<20)), many(1, trajectory.Warned{}), 2},
		"texts that are in their lines":     {nil, many(1024, inLine), 1024},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			log, err := trajectory.Create(t.TempDir(), nil)
			require.NoError(t, err)
			events, stop := log.Subscribe()
			defer stop()
			write := func(all []trajectory.Data, last bool) {
				for _, d := range all {
					_, err := log.Post("", 0, d)
					assert.NoError(t, err)
				}
				_, err := log.Settle()
				assert.NoError(t, err)
				if last {
					assert.NoError(t, log.Close())
					assert.NoError(t, os.Remove(filepath.Join(log.Dir(), "trajectory.jsonl")))
				}
			}
			write(c.first, false)
			if len(c.first) == 0 {
				write(c.later, true)
			}
			got := 0
			for range events {
				if got++; got == len(c.first) {
					write(c.later, true)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestSubscribingToAClosedLog(t *testing.T) {
	log, err := trajectory.Create(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	require.NoError(t, log.Close(), "a second call has no effect")
	events, stop := log.Subscribe()
	defer stop()
	for range events {
		t.Fatal("there is nothing to come")
	}
}
