package terminal

import (
	"testing"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/stretchr/testify/require"
)

func TestHowFarAReadingIs(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]trajectory.Reading{
		"reading the context · 12s": {},
		"reading the context · 120 of 300 files · 12s · about 18s left · 40 MB of 100 MB · 80 converted": {
			Documents: 120, Of: 300, Conversions: 80, Bytes: 40e6, OfBytes: 100e6, Elapsed: 12 * time.Second,
			Left: 18 * time.Second,
		},
		"reading the context · 3 of 4 files · 12s · about 4s left": {
			Documents: 3, Of: 4, Elapsed: 12 * time.Second, Left: 4 * time.Second,
		},
		"reading the context · 1 of 4 files · 12s": {
			Documents: 1, Of: 4, Elapsed: time.Second,
		},
		"reading the context · 12s · 40 MB": {
			Of: 1, Bytes: 40e6, OfBytes: 40e6, Elapsed: 12 * time.Second,
		},
		"reading the context · 12s · 3 MB of 10 MB · 2 converted · 40 documents in them": {
			Of: 1, Conversions: 2, Made: 40, Bytes: 3e6, OfBytes: 10e6, Elapsed: 12 * time.Second,
		},
		"reading the context · 4 of 4 files · 12s · 2 MB of 2 MB": {
			Documents: 4, Of: 4, Bytes: 3e6, OfBytes: 2e6, Elapsed: 12 * time.Second,
		},
	} {
		r := Reading{}
		r.Hear(d)
		require.Equal(t, want, r.Status(12*time.Second))
		r.Wait(func() string { return "waiting for MCP servers: slow" })
		require.Equal(t, "waiting for MCP servers: slow · 12s", r.Status(12*time.Second))
		r.Wait(nil)
		require.Equal(t, want, r.Status(12*time.Second))
	}
}

// Without a status line, a line every few seconds reports the progress of reading. The reports start again for the
// next context.
func TestReadingIsToldInLines(t *testing.T) {
	t.Parallel()
	var lines []string
	r := Reading{line: func(text string) { lines = append(lines, text) }}
	for _, seconds := range []int{1, 4, 5, 6, 9, 10, 11, 2, 6} {
		r.Hear(trajectory.Reading{
			Documents: seconds, Of: 100, Elapsed: time.Duration(seconds) * time.Second, Left: time.Minute,
		})
	}
	require.Equal(t, []string{
		"reading the context · 5 of 100 files · 5s · about 1m0s left",
		"reading the context · 10 of 100 files · 10s · about 1m0s left",
		"reading the context · 6 of 100 files · 6s · about 1m0s left",
	}, lines)
}
