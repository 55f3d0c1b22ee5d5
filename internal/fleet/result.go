package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/nats-io/nats.go/jetstream"
)

// State is what became of a job.
type State string

// The states of jobs that have no result.
const (
	Queued   State = "queued"
	Underway State = "running"
	Failed   State = "failed" // it waits to be tried again
)

// The states of jobs that have a result.
const (
	Done    State = "done"    // answered
	Dead    State = "dead"    // set aside: there is no answer, and trying again is not expected to bring one
	Dropped State = "dropped" // it is no part of its batch any more
)

// Result is what a job came to.
type Result struct {
	Batch string `json:"-"`
	Seq   uint64 `json:"-"` // grows from result to result

	ID    string `json:"id"`
	Key   string `json:"key"`   // identifies the job's content
	Index int    `json:"index"` // place of the job in its batch, from 0
	State State  `json:"state"`
	Run   string `json:"run"`           // the id of the run; Status is empty if it could not begin
	Try   int    `json:"try,omitempty"` // how many results the job had before

	Answer   string        `json:"answer,omitempty"`
	Typed    bool          `json:"typed,omitempty"`     // Answer is JSON that follows the job's schema
	InLog    bool          `json:"in_log,omitempty"`    // Answer is too long for the queue and stands in the log of the run only
	Object   string        `json:"object,omitempty"`    // of a queue elsewhere: what holds an answer that is too long
	Status   string        `json:"status,omitempty"`    // how the run ended
	Reason   string        `json:"reason,omitempty"`    // why there is no answer, or why the run ended early
	Kind     string        `json:"kind,omitempty"`      // of the failure of a call: auth, quota, …
	Cost     float64       `json:"cost,omitempty"`      // USD, as far as prices are known
	Unpriced []string      `json:"unpriced,omitempty"`  // models whose price is not known
	Tokens   int64         `json:"tokens,omitempty"`    // prompts and completions
	Paid     usage         `json:"paid,omitzero"`       // part of Cost and Tokens that an earlier result counts
	Turns    int           `json:"turns,omitempty"`     // of the run
	SubCalls int           `json:"sub_calls,omitempty"` // of the run
	Duration time.Duration `json:"duration,omitempty"`  // of the run, without pauses
	Tries    int           `json:"tries,omitempty"`     // how often the run began or went on

	Unsupported string                `json:"unsupported,omitempty"` // what an answer lacks although evidence is required
	CutReplies  int                   `json:"cut_replies,omitempty"` // replies of sub-calls that reached their limit of tokens and end there
	Guess       bool                  `json:"guess,omitempty"`       // the answer was handed in before anything of the text was looked at
	Evidence    []trajectory.Evidence `json:"evidence,omitempty"`    // passages that the answer's marks refer to, as far as they fit; all are in the log of the run
	Grounding   *trajectory.Grounding `json:"grounding,omitempty"`   // what values of the answer rest on, the first 200; all are in the log of the run
	Metadata    json.RawMessage       `json:"metadata,omitempty"`    // the job's
}

// usage is what runs have used.
type usage struct {
	Cost   float64 `json:"cost,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

func (s usage) plus(o usage) usage { return usage{s.Cost + o.Cost, s.Tokens + o.Tokens} }

func (r Result) spent() usage { return usage{r.Cost, r.Tokens} }

// counts are numbers of results.
type counts struct {
	Done int `json:"done,omitempty"`
	Dead int `json:"dead,omitempty"`
}

func (c *counts) add(s State) {
	switch s {
	case Done:
		c.Done++
	case Dead:
		c.Dead++
	case Dropped:
	}
}

// longestAnswer is how long an answer may be that stands in a result.
const longestAnswer = 500_000

// resultOf is what a run came to as the result of its job.
func resultOf(e entry, res runner.Result) Result {
	r := Result{
		ID: e.Job.ID, Key: e.Key, Index: e.Index, Run: e.Run, Try: e.Try, Paid: e.Paid, Metadata: e.Job.Metadata,
		State: Dead, Typed: res.Typed, Status: string(res.Status), Reason: res.Reason, Kind: res.ErrorKind,
		Unpriced: res.Unpriced, Turns: res.Turns, SubCalls: res.SubCalls, Tokens: trajectory.UsageOf(res.Usage).Tokens(), Duration: res.Duration, Unsupported: res.Unsupported,
		Guess: res.Guess, CutReplies: res.CutReplies, Evidence: fitting(res.Evidence), Grounding: first(res.Grounding),
	}
	if res.Cost != nil {
		r.Cost = *res.Cost
	}
	switch {
	case res.HasAnswer && res.ExitCode() != exitcode.Limit && res.Status != termination.ContentFilter:
		r.State = Done
		if res.Status == termination.Completed {
			r.Reason = ""
		}
		r.Answer = res.Answer
	case r.Reason == "":
		r.Reason = "the run ended with status " + r.Status
	}
	return r
}

// mostEvidence bounds in bytes the evidence that stands in a result.
const mostEvidence = 64 << 10

// fitting are the first passages that fit into a result.
func fitting(all []trajectory.Evidence) []trajectory.Evidence {
	size := 0
	for i, e := range all {
		if size += len(e.Quote) + len(e.Document) + len(e.Part) + 100; size > mostEvidence {
			return all[:i]
		}
	}
	return all
}

// mostValues bounds the values whose grounding stands in a result.
const mostValues = 200

func first(g *trajectory.Grounding) *trajectory.Grounding {
	if g == nil || len(g.Values) <= mostValues {
		return g
	}
	some := *g
	some.Values = g.Values[:mostValues]
	return &some
}

// AnswerIn is the answer of a result, which may stand in the log of its run below a folder for runs.
func (r Result) AnswerIn(runsDir string) (string, error) {
	if !r.InLog {
		return r.Answer, nil
	}
	dir, err := trajectory.Find(runsDir, r.Run)
	if err != nil {
		return "", fmt.Errorf("job %s: %w", r.ID, err)
	}
	res, err := runner.Collect(trajectory.Read(dir))
	if err != nil {
		return "", fmt.Errorf("job %s: %w", r.ID, err)
	}
	return res.Answer, nil
}

// subject is where the result of a try of a job stands. The first one that comes there counts.
func (r Result) subject() string { return resultSubject(r.Batch, r.Key, r.Try) }

func resultSubject(batch, key string, try int) string {
	return resultsSubject + batch + "." + key + "." + strconv.Itoa(try)
}

// publish keeps a result. ours says that it counts: another one may be there already.
func (q *Queue) publish(ctx context.Context, r Result) (ours bool, err error) {
	if r, err = q.shortened(ctx, r); err != nil {
		return false, fmt.Errorf("keep the result of %s: %w", r.ID, err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return false, fmt.Errorf("keep the result of %s: %w", r.ID, err)
	}
	_, err = jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.PubAck, error) {
		return q.conn.JS.Publish(ctx, r.subject(), data, jetstream.WithExpectLastSequencePerSubject(0))
	})
	if err == nil {
		return true, nil
	}
	if !wrongSequence(err) {
		return false, fmt.Errorf("keep the result of %s: %w", r.ID, q.why(err))
	}
	there, found, err := q.result(ctx, r.Batch, r.Key, r.Try)
	return err == nil && found && there.Run == r.Run && there.State == r.State, err // it is our own if the acknowledgement was lost
}

// shortened is a result as it stands in a message: an answer that is too long is kept elsewhere.
func (q *Queue) shortened(ctx context.Context, r Result) (Result, error) {
	if len(r.Answer) <= longestAnswer {
		return r, nil
	}
	answer := r.Answer
	r.Answer = ""
	if !q.conn.Remote {
		r.InLog = true
		return r, nil
	}
	var err error
	r.Object, _, err = q.objects.PutBytes(ctx, []byte(answer))
	return r, err
}

// whole is a result with its answer, which may be kept elsewhere.
func (q *Queue) whole(ctx context.Context, r Result) (Result, error) {
	if r.Object == "" {
		return r, nil
	}
	answer, err := q.objects.Read(ctx, r.Object)
	if err != nil {
		return r, fmt.Errorf("job %s: %w", r.ID, err)
	}
	r.Answer = string(answer)
	return r, nil
}

// result is the result of a try of a job.
func (q *Queue) result(ctx context.Context, batch, key string, try int) (r Result, found bool, err error) {
	msg, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return q.results.GetLastMsgForSubject(ctx, resultSubject(batch, key, try))
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(msg.Data, &r)
	}
	if err != nil {
		return r, false, fmt.Errorf("read a result of %s: %w", batch, q.why(err))
	}
	r.Batch, r.Seq = batch, msg.Sequence
	return r, true, nil
}
