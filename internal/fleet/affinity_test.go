package fleet_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
)

// said is a log that can be read while it is being written.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.text.String(), text)
}

// A node that gets a job without having its context passes it on to a node that has it.
func TestANodeThatHasAContextIsPreferred(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	first := nodeOf(q, t.TempDir(), 4, &model{})
	stop := working(t, first)
	log := &said{}
	const rounds = 4
	for i := range rounds {
		path := filepath.Join(t.TempDir(), "text.txt")
		require.NoError(t, os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintf("text %d\n", i), 10<<20/7)), 0o600))
		list := []fleet.Job{{ID: "0", Question: "job-0", Context: []fleet.Source{{Path: path}}}}
		_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: fmt.Sprint("before-", i)}, list, fleet.Submission{})
		require.NoError(t, err)
		_, err = awaited(t, q, fmt.Sprint("before-", i))
		require.NoError(t, err)

		// The second node already waits when this job is submitted, so the queue gives the job to that node.
		id := fmt.Sprint("after-", i)
		_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: id}, nil, fleet.Submission{})
		require.NoError(t, err)
		second := nodeOf(q, t.TempDir(), 4, &model{})
		second.Batch, second.Log = id, slog.New(slog.NewTextHandler(log, nil))
		end := working(t, second)
		require.Eventually(t, func() bool {
			s, err := q.Status(t.Context(), id)
			return err == nil && s.Nodes == 2
		}, time.Minute, 10*time.Millisecond)
		_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: id}, list, fleet.Submission{})
		require.NoError(t, err)
		got, err := awaited(t, q, id)
		require.NoError(t, err)
		require.Equal(t, fleet.Done, got["0"].State, got["0"].Reason)
		require.NoError(t, end())
	}
	require.NoError(t, stop())
	require.NotZero(t, log.count("hands a job over"), "of %d jobs", rounds)
}
