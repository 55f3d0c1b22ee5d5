package api_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// slow is a model whose calls of one kind report their start and block until they are released or cancelled.
type slow struct {
	subCalls bool // calls are sub-calls; otherwise turns
	underWay chan struct{}
	on       chan struct{}
	mu       sync.Mutex
	refused  int
}

func (m *slow) Name() string { return "slow" }

func (m *slow) Generate(ctx context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	text := fence(`FINAL(strings.Join(llm_query_batched([]string{"one", "two"}), ""))`)
	if sub := req.Key.Cell != 0; sub {
		text = "re"
	}
	if (req.Key.Cell != 0) == m.subCalls {
		m.underWay <- struct{}{}
		select {
		case <-m.on:
		case <-ctx.Done():
			m.mu.Lock()
			m.refused++
			m.mu.Unlock()
			return llm.Response{}, ctx.Err()
		}
	}
	return llm.Response{
		Content: text, Model: "slow", FinishReason: "stop", Attempts: 1,
		Usage: llm.Usage{Prompt: 1, Completion: 1},
	}, nil
}

// TestShutdownRecordsRepliesUnderWay: at shutdown, paid replies are recorded, nothing new begins, and the run can
// be resumed.
func TestShutdownRecordsRepliesUnderWay(t *testing.T) {
	t.Parallel()
	for _, subCalls := range []bool{false, true} {
		model := &slow{subCalls: subCalls, underWay: make(chan struct{}), on: make(chan struct{})}
		s := start(t, model)
		id := s.session()
		s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
		<-model.underWay
		if subCalls {
			<-model.underWay
		}
		st := s.follow("session="+id+":0", "")
		ended := make(chan struct{})
		go func() {
			s.end()
			close(ended)
		}()
		for { // at shutdown, streams end first
			if _, ok := st.next(); !ok {
				break
			}
		}
		close(model.on)
		<-ended
		counts := map[string]int{}
		dir := filepath.Join(trajectory.RunsDir(s.dir), id)
		for ev, err := range trajectory.Read(dir) {
			require.NoError(t, err)
			counts[ev.Data.EventType()]++
		}
		require.Zero(t, model.refused, "sub-calls: %v, %v", subCalls, counts)
		require.Equal(t, 1, counts["reply_received"])
		if subCalls {
			require.Equal(t, 2, counts["sub_call_ended"])
		} else {
			require.Zero(t, counts["cell_ended"])
		}
		sum, err := trajectory.Summarize(dir)
		require.NoError(t, err)
		require.NotEqual(t, "completed", sum.Status)

		on := make(chan struct{})
		close(on)
		again := startIn(t, s.dir, &slow{subCalls: true, underWay: make(chan struct{}, 9), on: on})
		again.do(id, "resume", nil)
		require.Equal(t, "rere", again.call("GET", "sessions/"+id, nil).text("answer"))
	}
}
