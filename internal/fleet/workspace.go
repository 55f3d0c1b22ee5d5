package fleet

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// workspace is where a job runs. On the queue's machine a run has its ordinary log in the data folder. With a
// shared queue its events are in the queue, and this machine has working copies of its log and of its context.
type workspace struct {
	opts   []runner.Option
	inputs func(context.Context) ([]runner.Input, error)
	leave  func()
	// recorded is the number of the last event that was already recorded.
	recorded int64
}

// lastWordsPatience is how long a stopped run may take to record its end in the log.
const lastWordsPatience = 5 * time.Second

// home prepares the workspace of a job, and takes over its run if it began elsewhere.
func (w *worker) home(e entry) (*workspace, error) {
	if !w.Queue.conn.Remote {
		return &workspace{inputs: func(context.Context) ([]runner.Input, error) {
			return e.Job.inputs()
		}, leave: func() {}}, nil
	}
	data := filepath.Join(w.dir, w.Batch)
	run, root := filepath.Join(trajectory.RunsDir(data), e.Run), filepath.Join(data, "contexts", e.Run)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.work))
	unwatch := context.AfterFunc(w.work, func() { time.AfterFunc(lastWordsPatience, cancel) })
	h := &workspace{
		inputs: func(ctx context.Context) ([]runner.Input, error) { return w.contexts.inputs(ctx, e.Job, root) },
		leave: func() {
			unwatch()
			cancel()
			_ = os.RemoveAll(run) // what is left only takes up space until the node ends
			_ = os.RemoveAll(root)
		},
	}
	log, err := w.Queue.restore(ctx, runKey{w.Batch, e.Run}, run, root)
	if err != nil {
		h.leave()
		return nil, err
	}
	if log.last > 0 {
		w.log.Info("takes a run over", "batch", w.Batch, "job", e.Job.ID, "run", e.Run)
	}
	h.recorded = log.restored
	h.opts = []runner.Option{runner.WithDataDir(data), host.Store(log), runner.WithKeptContext(0)}
	return h, nil
}
