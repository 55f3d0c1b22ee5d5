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

// Batches are the batches of a queue, that of the data folder or of a fleet. They are the owner's; nobody else learns that there are any. Who
// is asked for a batch that is not there says ErrNoBatch.
type Batches interface {
	List(ctx context.Context, offset, limit int) (BatchList, error)
	Get(ctx context.Context, id string) (Batch, error)
	// Jobs are some of a batch's jobs, in order; state may be empty.
	Jobs(ctx context.Context, id, state string, offset, limit int) (BatchJobs, error)
	// Results writes what jobs came to, in their order, as jsonl or csv. begin is called with the batch's id before something is written.
	Results(ctx context.Context, id, format string, begin func(id string) io.Writer) error
	Cancel(ctx context.Context, id string) error
	// Retry puts dead jobs back, all or those with the given ids, and says how many.
	Retry(ctx context.Context, id string, jobs []string) (int, error)
	// Bring sees to it that the log of a job's run is in the data folder.
	Bring(ctx context.Context, run string) error
	// Changes are the newest batches and then those that change.
	Changes(ctx context.Context) iter.Seq2[BatchChange, error]
	Close() error
}

// ErrNoBatch says that there is no such batch.
var ErrNoBatch = errors.New("there is no such batch")

// Batch is how far a batch is.
type Batch struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   string    `json:"state"`         // running, waiting (no process runs it), stopped, cancelled or complete
	Why     string    `json:"why,omitempty"` // it rests, or jobs of it wait
	Created time.Time `json:"created"`
	Last    time.Time `json:"last,omitzero"` // when the last result came
	Jobs    int       `json:"jobs"`
	Queued  int       `json:"queued"`
	Running int       `json:"running"`
	Failed  int       `json:"failed"` // they wait to be tried again
	Done    int       `json:"done"`
	Dead    int       `json:"dead"`
	Cost    float64   `json:"cost"` // USD of all results, as far as prices are known
	// Unpriced says that prices are not known of all models that results came from.
	Unpriced bool        `json:"unpriced,omitempty"`
	Tokens   int64       `json:"tokens"`
	Budget   BatchBudget `json:"budget"`
	Nodes    int         `json:"nodes"` // processes that run its jobs
	// TokensPerMinute is how fast it goes, and Left how long the rest takes, in nanoseconds; 0: not known.
	TokensPerMinute float64     `json:"tokens_per_minute"`
	Left            int64       `json:"left"`
	Slowest         *RunningJob `json:"slowest,omitempty"`
	// Command is what lets the batch go on, in the folder Dir, where that is known.
	Command string `json:"command,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// BatchBudget bounds all jobs of a batch together; 0 means no bound.
type BatchBudget struct {
	Cost   float64 `json:"cost"`
	Tokens int64   `json:"tokens"`
	Time   int64   `json:"time"` // nanoseconds
}

// RunningJob is a job that runs.
type RunningJob struct {
	ID    string    `json:"id"`
	Run   string    `json:"run"`
	Turn  int       `json:"turn"`
	Since time.Time `json:"since"`
}

// BatchList is a part of the list of batches.
type BatchList struct {
	Batches []Batch `json:"batches"`
	Total   int     `json:"total"`
}

// BatchJob is how far a job of a batch is.
type BatchJob struct {
	ID       string `json:"id"`
	Place    int    `json:"place"`    // in the batch, from 1
	Question string `json:"question"` // its beginning
	State    string `json:"state"`    // queued, running, failed (it waits to be tried again), done or dead
	Run      string `json:"run,omitempty"`
	Turn     int    `json:"turn,omitempty"` // of the run while it goes on
	// Since is when the run began, while it goes on.
	Since    time.Time `json:"since,omitzero"`
	Answer   string    `json:"answer,omitempty"` // its beginning
	Reason   string    `json:"reason,omitempty"` // why there is no answer, or why the run ended early
	Attempts int       `json:"attempts,omitempty"`
	Turns    int       `json:"turns,omitempty"`
	SubCalls int       `json:"sub_calls,omitempty"`
	Cost     *float64  `json:"cost"` // null where it is not known
	Tokens   int64     `json:"tokens"`
	Duration int64     `json:"duration"` // nanoseconds
}

// BatchJobs are a part of the jobs of a batch. Total counts those of the state that was asked for.
type BatchJobs struct {
	Jobs  []BatchJob `json:"jobs"`
	Total int        `json:"total"`
}

// BatchChange is a batch that is new or changed, or one that was removed.
type BatchChange struct {
	Batch
	Removed bool
}

const jobsAtOnce = 500

// batches are those that somebody may see.
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
	Jobs []string `json:"jobs,omitempty"` // ids; none: all that are dead
}

// RetryResult says what became of dead jobs.
type RetryResult struct {
	Retried int   `json:"retried"` // that are in the queue again
	Batch   Batch `json:"batch"`
}

// batchCommands show the batches of a queue and change them.
func (s *Server) batchCommands() []session.Command {
	return []session.Command{
		ofBatches(s, "batches", "GET batches", "The batches of rlm batch, the newest first. They are the owner's.",
			func(ctx context.Context, all Batches, _ *session.Call, in batchesRequest) (BatchList, error) {
				out, err := all.List(ctx, max(in.Offset, 0), atOnce(in.Limit))
				out.Batches = append([]Batch{}, out.Batches...)
				return out, err
			}),
		ofBatches(s, "batch", "GET batches/{batch}", "A batch, by its id or the beginning of it.",
			func(ctx context.Context, all Batches, c *session.Call, _ struct{}) (Batch, error) {
				return all.Get(ctx, c.Params["batch"])
			}),
		ofBatches(s, "jobs", "GET batches/{batch}/jobs", "The jobs of a batch, in order. state is queued, running, failed, done or dead.",
			func(ctx context.Context, all Batches, c *session.Call, in jobsRequest) (BatchJobs, error) {
				out, err := all.Jobs(ctx, c.Params["batch"], in.State, max(in.Offset, 0), atOnce(in.Limit))
				out.Jobs = append([]BatchJob{}, out.Jobs...)
				return out, err
			}),
		ofBatches(s, "cancel-batch", "POST batches/{batch}/cancel", "Stop a batch. Its command, or retry, lets it go on.",
			func(ctx context.Context, all Batches, c *session.Call, _ struct{}) (Batch, error) {
				if err := all.Cancel(ctx, c.Params["batch"]); err != nil {
					return Batch{}, err
				}
				return all.Get(ctx, c.Params["batch"])
			}),
		ofBatches(s, "retry-batch", "POST batches/{batch}/retry", "Put dead jobs back into the queue: all, or those that are named.",
			func(ctx context.Context, all Batches, c *session.Call, in retryRequest) (out RetryResult, err error) {
				if out.Retried, err = all.Retry(ctx, c.Params["batch"], in.Jobs); err == nil {
					out.Batch, err = all.Get(ctx, c.Params["batch"])
				}
				return out, err
			}),
		ofBatches(s, "bring-run", "POST batches/{batch}/runs/{run}",
			"The run of a job as a session. That of a fleet is copied to the data folder, as far as it is.",
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

// ofBatches is a command about the batches that somebody may see.
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

// atOnce is how many of a list are sent.
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

// batchResults writes the results of a batch as they are read.
func (s *Server) batchResults(w http.ResponseWriter, r *http.Request) {
	all, err := s.batches(personOf(r.Context()))
	format := r.URL.Query().Get("format")
	if err == nil && format != "jsonl" && format != "csv" {
		err = badRequest("format is jsonl or csv")
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

// batchesID stands for the batches in a stream of events.
const batchesID = "*batches"

// batchAgain is how long a queue that cannot be read is left alone.
const batchAgain = 2 * time.Second

// watchBatches tells how far the newest batches are, and what changes, until ctx is done.
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
