package fleet_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// turns is a model that answers each question in a number of turns, with a delay for each.
type turns struct {
	of    int
	delay time.Duration
	calls atomic.Int64
}

func (m *turns) Name() string { return "model" }

func (m *turns) Generate(ctx context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	m.calls.Add(1)
	turn := 1
	for _, msg := range req.Messages {
		if msg.Role == llm.Assistant {
			turn++
		}
	}
	select {
	case <-time.After(m.delay):
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
	text := fmt.Sprintf("```go\nfmt.Println(%d)\n```", turn)
	if turn >= m.of {
		text = "```go\nFINAL(\"done\")\n```"
	}
	return llm.Response{
		Content: text, Model: "model", FinishReason: "stop", Attempts: 1,
		Usage: llm.Usage{Prompt: 100, Completion: 10},
	}, nil
}

// benchHub returns a queue for each machine, all of the same hub.
func benchHub(b *testing.B, machines int) []*fleet.Queue {
	b.Helper()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: b.TempDir(), Nodes: []string{"node"}})
	require.NoError(b, err)
	b.Cleanup(func() { _ = hub.Close() })
	list := make([]*fleet.Queue, machines)
	for i := range list {
		list[i], err = fleet.Connect(b.Context(), fleet.Server{URL: hub.URL("node"), DataDir: b.TempDir()})
		require.NoError(b, err)
		b.Cleanup(func() { _ = list[i].Close() })
	}
	return list
}

// BenchmarkNodes runs 64 jobs, whose calls take 200 ms each, on 1, 2 and 4 nodes, and reports the ratio to the
// ideal time. The nodes have the default slots of 'rlm node', or so many that four nodes run all jobs at the same
// time. All nodes share this machine's processors, and the time to start 64 notebooks counts: with many slots on
// few processors, the ratio measures mainly that.
func BenchmarkNodes(b *testing.B) {
	for _, slots := range []int{4, 16} {
		for _, nodes := range []int{1, 2, 4} {
			b.Run(fmt.Sprint(slots, "-slots/", nodes, "-nodes"), func(b *testing.B) { benchmarkNodes(b, nodes, slots) })
		}
	}
}

func benchmarkNodes(b *testing.B, nodes, slots int) {
	const runs, calls, delay = 64, 10, 200 * time.Millisecond
	for b.Loop() {
		queues := benchHub(b, nodes+1)
		ctx, cancel := context.WithCancel(b.Context())
		m := &turns{of: calls, delay: delay}
		ended := make(chan error, nodes)
		for _, q := range queues[1:] {
			n := benchNode(q, b.TempDir(), slots, m)
			go func() { ended <- n.Run(ctx, ctx) }()
		}
		_, err := fleet.Submit(ctx, queues[0], fleet.Batch{ID: "b"}, jobs(runs), fleet.Submission{})
		require.NoError(b, err)
		start := time.Now()
		for r, err := range fleet.Await(ctx, queues[0], "b", 0, nil) {
			require.NoError(b, err)
			require.Equal(b, fleet.Done, r.State, r.Reason)
		}
		took := time.Since(start)
		cancel()
		for range nodes {
			require.NoError(b, <-ended)
		}
		ideal := delay * calls * time.Duration(runs/slots) / time.Duration(nodes)
		b.ReportMetric(ideal.Seconds()/took.Seconds(), "of-ideal")
	}
}

// benchNode returns a node whose runs share the starter of their workers, like those of rlm node.
func benchNode(q *fleet.Queue, dir string, slots int, m llm.Model) *fleet.Node {
	starter := sandbox.NewStarter()
	return &fleet.Node{
		Queue: q, Slots: slots, Dir: dir,
		Setup: func(context.Context, fleet.Job) (llm.Model, []runner.Option, error) {
			return m, []runner.Option{runner.WithSandbox(sandbox.Basic, sandbox.Limits{}), host.Starter(starter)}, nil
		},
	}
}

// BenchmarkAppend compares the turns of a run whose events are stored in a hub with those of one whose log is on
// disk.
func BenchmarkAppend(b *testing.B) {
	const replies = 100
	budgets := runner.WithBudgets(runner.Budgets{Iterations: replies + 1, Errors: -1})
	b.Run("disk", func(b *testing.B) {
		for b.Loop() {
			r, err := runner.New(&turns{of: replies}, runner.WithDataDir(b.TempDir()),
				runner.WithSandbox(sandbox.Basic, sandbox.Limits{}), budgets)
			require.NoError(b, err)
			start := time.Now()
			_, err = r.Answer(b.Context(), "job-0")
			require.NoError(b, err)
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000/replies, "ms/reply")
		}
	})
	b.Run("hub", func(b *testing.B) {
		for b.Loop() {
			q := benchHub(b, 1)[0]
			m := &turns{of: replies}
			n := benchNode(q, b.TempDir(), 1, m)
			setup := n.Setup
			n.Setup = func(ctx context.Context, j fleet.Job) (llm.Model, []runner.Option, error) {
				model, opts, err := setup(ctx, j)
				return model, append(opts, budgets), err
			}
			_, err := fleet.Submit(b.Context(), q, fleet.Batch{ID: "b"}, jobs(1), fleet.Submission{})
			require.NoError(b, err)
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- n.Run(ctx, ctx) }()
			for r, err := range fleet.Await(ctx, q, "b", 0, nil) {
				require.NoError(b, err)
				b.ReportMetric(float64(r.Duration.Microseconds())/1000/replies, "ms/reply")
			}
			cancel()
			require.NoError(b, <-ended)
		}
	})
}
