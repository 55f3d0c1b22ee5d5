package runner_test

import (
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// gathered collects the durable events of sessions, as a reader gets them.
type gathered struct {
	mu   sync.Mutex
	seqs map[string][]int64
	news int // number of transient events
}

func (g *gathered) read(session string, events iter.Seq[trajectory.Event]) {
	for ev := range events {
		g.mu.Lock()
		if trajectory.Transient(ev.Data) {
			g.news++
		} else {
			g.seqs[session] = append(g.seqs[session], ev.Seq)
		}
		g.mu.Unlock()
	}
}

func TestReadersGetAllEventsOfAllSessions(t *testing.T) {
	t.Parallel()
	g := &gathered{seqs: map[string][]int64{}}
	leaves := func(_ string, events iter.Seq[trajectory.Event]) {
		for range events {
			return // a reader that stops early delays nothing
		}
	}
	dir := t.TempDir()
	m := llm.NewScripted("m", "```go\nx := 1\nprintln(x)\nFINAL(x)\n```", "```go\nFINAL(x + 1)\n```",
		"```go\nFINAL(x + 2)\n```")
	r := newRunner(t, m, runner.WithDataDir(dir), runner.WithEvents(g.read), runner.WithEvents(leaves))
	res, err := r.Answer(timeout(t), "one")
	require.NoError(t, err)
	all := eventsOf(t, r, res.RunID)
	require.Len(t, g.seqs[res.RunID], len(all), "all are read when the run is over")
	require.Positive(t, g.news)

	s, err := r.OpenSession(timeout(t), res.RunID)
	require.NoError(t, err)
	for range 2 {
		_, err = s.Answer(timeout(t), "again")
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	for i, seq := range g.seqs[res.RunID] {
		require.EqualValues(t, i+1, seq, "none is missing and none comes twice")
	}
	require.Len(t, g.seqs[res.RunID], len(eventsOf(t, r, res.RunID)))
}
