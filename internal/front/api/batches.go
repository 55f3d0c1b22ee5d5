package api

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/gorlm/rlm/internal/session"
)

// Batches are the batches of a queue, which is in the data folder or belongs to a fleet. Only the owner can see
// them; for others they do not exist. Methods return ErrNoBatch for an unknown batch.
type Batches interface {
	List(ctx context.Context, offset, limit int) (BatchList, error)
	Get(ctx context.Context, id string) (Batch, error)
	// Jobs returns some of a batch's jobs, in order; an empty state means any.
	Jobs(ctx context.Context, id, state string, offset, limit int) (BatchJobs, error)
	// Results writes the results of a batch in the order of its jobs, as jsonl or csv. It calls begin with the
	// batch's id before it writes.
	Results(ctx context.Context, id, format string, begin func(id string) io.Writer) error
	Cancel(ctx context.Context, id string) error
	// Retry returns dead jobs to the queue: those with the given ids, or all. The result is their number.
	Retry(ctx context.Context, id string, jobs []string) (int, error)
	// Bring ensures that the log of a job's run is in the data folder.
	Bring(ctx context.Context, run string) error
	// Changes yields the newest batches, and then each batch when it changes.
	Changes(ctx context.Context) iter.Seq2[BatchChange, error]
	Close() error
}

// ErrNoBatch means that there is no such batch.
var ErrNoBatch = errors.New("there is no such batch")

// Batch is a batch and its progress.
type Batch struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   string    `json:"state"`         // running, waiting (no process runs it), stopped, cancelled or complete
	Why     string    `json:"why,omitempty"` // why it does not run, or why some of its jobs wait
	Created time.Time `json:"created"`
	Last    time.Time `json:"last,omitzero"` // when the last result arrived
	Jobs    int       `json:"jobs"`
	Queued  int       `json:"queued"`
	Running int       `json:"running"`
	Failed  int       `json:"failed"` // number of jobs that wait for a retry
	Done    int       `json:"done"`
	Dead    int       `json:"dead"`
	Cost    float64   `json:"cost"` // USD of all results, as far as prices are known
	// Unpriced means that some results came from models whose prices are unknown.
	Unpriced bool        `json:"unpriced,omitempty"`
	Tokens   int64       `json:"tokens"`
	Budget   BatchBudget `json:"budget"`
	Nodes    int         `json:"nodes"` // number of processes that run its jobs
	// TokensPerMinute is the current rate. Left is the estimated time until the end, in nanoseconds; 0 if unknown.
	TokensPerMinute float64     `json:"tokens_per_minute"`
	Left            int64       `json:"left"`
	Slowest         *RunningJob `json:"slowest,omitempty"`
	// Command continues the batch if it is run in the folder Dir. Both are empty if unknown.
	Command string `json:"command,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// BatchBudget limits all jobs of a batch together; 0 means no limit.
type BatchBudget struct {
	Cost   float64 `json:"cost"`
	Tokens int64   `json:"tokens"`
	Time   int64   `json:"time"` // nanoseconds
}

// RunningJob is a job that is running.
type RunningJob struct {
	ID    string    `json:"id"`
	Run   string    `json:"run"`
	Turn  int       `json:"turn"`
	Since time.Time `json:"since"`
}

// BatchList is a page of the list of batches.
type BatchList struct {
	Batches []Batch `json:"batches"`
	Total   int     `json:"total"`
}

// BatchJob is a job of a batch and its progress.
type BatchJob struct {
	ID       string `json:"id"`
	Place    int    `json:"place"`    // its position in the batch, from 1
	Question string `json:"question"` // the beginning of the question
	State    string `json:"state"`    // queued, running, failed (waits for a retry), done or dead
	Run      string `json:"run,omitempty"`
	Turn     int    `json:"turn,omitempty"` // the current turn while the job runs
	// Since is when the run began; set while the job runs.
	Since    time.Time `json:"since,omitzero"`
	Answer   string    `json:"answer,omitempty"` // the beginning of the answer
	Reason   string    `json:"reason,omitempty"` // why there is no answer, or why the run ended early
	Attempts int       `json:"attempts,omitempty"`
	Turns    int       `json:"turns,omitempty"`
	SubCalls int       `json:"sub_calls,omitempty"`
	Cost     *float64  `json:"cost"` // USD; null if unknown
	Tokens   int64     `json:"tokens"`
	Duration int64     `json:"duration"` // nanoseconds
}

// BatchJobs is a page of the jobs of a batch. Total counts all jobs in the requested state.
type BatchJobs struct {
	Jobs  []BatchJob `json:"jobs"`
	Total int        `json:"total"`
}

// BatchChange is a batch that is new, changed or removed.
type BatchChange struct {
	Batch
	Removed bool
}

const jobsAtOnce = 500

// batches returns the batches that somebody may see.
func (s *Server) batches(who session.Person) (Batches, error) {
	if s.cfg.Batches == nil || !who.Owner {
		return nil, notFound("there are no batches here")
	}
	return s.cfg.Batches, nil
}

type batchesRequest struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

type jobsRequest struct {
	State  string `json:"state"`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

type retryRequest struct {
	Jobs []string `json:"jobs,omitempty"` // ids; empty means all dead jobs
}

// RetryResult is the outcome of a retry of dead jobs.
type RetryResult struct {
	Retried int   `json:"retried"` // number of jobs returned to the queue
	Batch   Batch `json:"batch"`
}

// batchCommands returns the commands that show and change the batches of a queue.
func (s *Server) batchCommands() []session.Command {
	return []session.Command{
		ofBatches(s, "batches", "GET batches", "List the batches of rlm batch, newest first. Only the server's owner sees them.",
			func(ctx context.Context, all Batches, _ *session.Call, in batchesRequest) (BatchList, error) {
				out, err := all.List(ctx, max(in.Offset, 0), atOnce(in.Limit))
				out.Batches = append([]Batch{}, out.Batches...)
				return out, err
			}),
		ofBatches(s, "batch", "GET batches/{batch}", "A batch, by its id or the beginning of its id.",
			func(ctx context.Context, all Batches, c *session.Call, _ struct{}) (Batch, error) {
				return all.Get(ctx, c.Params["batch"])
			}),
		ofBatches(s, "jobs", "GET batches/{batch}/jobs",
			"The jobs of a batch, in order. state is queued, running, failed, done or dead.",
			func(ctx context.Context, all Batches, c *session.Call, in jobsRequest) (BatchJobs, error) {
				out, err := all.Jobs(ctx, c.Params["batch"], in.State, max(in.Offset, 0), atOnce(in.Limit))
				out.Jobs = append([]BatchJob{}, out.Jobs...)
				return out, err
			}),
		ofBatches(s, "cancel-batch", "POST batches/{batch}/cancel",
			"Stop a batch. Running its command again, or retry, continues it.",
			func(ctx context.Context, all Batches, c *session.Call, _ struct{}) (Batch, error) {
				if err := all.Cancel(ctx, c.Params["batch"]); err != nil {
					return Batch{}, err
				}
				return all.Get(ctx, c.Params["batch"])
			}),
		ofBatches(s, "retry-batch", "POST batches/{batch}/retry",
			"Put dead jobs back into the queue: all of them, or the given ones.",
			func(ctx context.Context, all Batches, c *session.Call, in retryRequest) (out RetryResult, err error) {
				if out.Retried, err = all.Retry(ctx, c.Params["batch"], in.Jobs); err == nil {
					out.Batch, err = all.Get(ctx, c.Params["batch"])
				}
				return out, err
			}),
		ofBatches(s, "bring-run", "POST batches/{batch}/runs/{run}",
			"The run of a job as a session. A fleet's run is copied to the data folder, as far as it has come.",
			func(ctx context.Context, all Batches, c *session.Call, _ struct{}) (session.Summary, error) {
				if err := all.Bring(ctx, c.Params["run"]); err != nil {
					return session.Summary{}, err
				}
				l, err := s.sessions.Find(c.Who, c.Params["run"])
				if err != nil {
					return session.Summary{}, err
				}
				return s.sessions.Summary(l)
			}),
	}
}

// ofBatches makes a command whose function gets the batches that its caller may see.
func ofBatches[In, Out any](
	s *Server, name, route, help string, do func(context.Context, Batches, *session.Call, In) (Out, error),
) session.Command {
	command := session.Command{Name: name, Group: "Batches", Route: route}
	return session.Define(command, help, func(ctx context.Context, c *session.Call, in In) (out Out, err error) {
		all, err := s.batches(c.Who)
		if err != nil {
			return out, err
		}
		return do(ctx, all, c, in)
	})
}

// atOnce returns the number of entries of a list to send for a requested limit.
func atOnce(limit int) int {
	if limit <= 0 {
		limit = 100
	}
	return min(limit, jobsAtOnce)
}

// resultsRequest is the query of a download.
type resultsRequest struct {
	Format string `json:"format"` // jsonl or csv
}

// batchResults streams the results of a batch.
func (s *Server) batchResults(w http.ResponseWriter, r *http.Request) {
	all, err := s.batches(personOf(r.Context()))
	format := r.URL.Query().Get("format")
	if err == nil && format != "jsonl" && format != "csv" {
		err = badRequest("format must be jsonl or csv")
	}
	if err != nil {
		refuse(w, err)
		return
	}
	file := &attachment{w: w}
	err = all.Results(r.Context(), r.PathValue("batch"), format, func(id string) io.Writer {
		file.name = id + "." + format
		return file
	})
	if err != nil {
		s.cfg.Log.Warn("results failed", "batch", r.PathValue("batch"), "error", err)
	}
	file.end(err)
}

// batchesID stands for the batches in place of a session's id in a stream of events.
const batchesID = "*batches"

// batchAgain is the pause before a queue is read again after an error.
const batchAgain = 2 * time.Second

// watchBatches sends the newest batches, and then each batch when it changes, until ctx is done.
func (s *Server) watchBatches(ctx context.Context, out eventWriter, all Batches) {
	c := &cursor{id: batchesID}
	for ctx.Err() == nil {
		for change, err := range all.Changes(ctx) {
			switch {
			case err != nil:
				s.cfg.Log.Debug("batches", "error", err)
			case change.Removed:
				out.say(c, "batch_removed", removal{change.ID})
			default:
				out.say(c, "batch", change.Batch)
			}
		}
		select {
		case <-time.After(batchAgain):
		case <-ctx.Done():
		}
	}
}
