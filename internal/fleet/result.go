package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/nats-io/nats.go/jetstream"
)

// State is the state of a job.
type State string

// The states of jobs without a result.
const (
	Queued   State = "queued"
	Underway State = "running"
	Failed   State = "failed" // waiting to be retried
)

// The states of jobs with a result.
const (
	Done    State = "done"    // answered
	Dead    State = "dead"    // set aside: there is no answer, and a retry is not expected to produce one
	Dropped State = "dropped" // no longer part of its batch
)

// Result is the outcome of a job.
type Result struct {
	Batch string `json:"-"`
	Seq   uint64 `json:"-"` // increases from result to result

	ID    string `json:"id"`
	Key   string `json:"key"`   // identifies the job's content
	Index int    `json:"index"` // index of the job in its batch, from 0
	State State  `json:"state"`
	Run   string `json:"run"`           // the id of the run; Status is empty if it could not begin
	Try   int    `json:"try,omitempty"` // how many results the job had before

	Answer   string        `json:"answer,omitempty"`
	Typed    bool          `json:"typed,omitempty"`     // Answer is JSON that follows the job's schema
	InLog    bool          `json:"in_log,omitempty"`    // Answer is too long to store, and only in the run's log
	Object   string        `json:"object,omitempty"`    // in a shared queue: the object with an answer that is too long
	Status   string        `json:"status,omitempty"`    // how the run ended
	Reason   string        `json:"reason,omitempty"`    // why there is no answer, or why the run ended early
	Reply    string        `json:"reply,omitempty"`     // beginning of what the model said last, if that is no answer
	Kind     string        `json:"kind,omitempty"`      // kind of failure of a call: auth, quota, …
	Cost     float64       `json:"cost,omitempty"`      // USD, if prices are known
	Unpriced []string      `json:"unpriced,omitempty"`  // models without a known price
	Tokens   int64         `json:"tokens,omitempty"`    // prompts and completions
	Paid     usage         `json:"paid,omitzero"`       // the part of Cost and Tokens that an earlier result counts
	Turns    int           `json:"turns,omitempty"`     // turns of the run
	SubCalls int           `json:"sub_calls,omitempty"` // sub-calls of the run
	Duration time.Duration `json:"duration,omitempty"`  // duration of the run, without pauses
	Tries    int           `json:"tries,omitempty"`     // how often the run was started or continued

	Unsupported  string                `json:"unsupported,omitempty"`   // the required evidence that is missing
	CutReplies   int                   `json:"cut_replies,omitempty"`   // replies that were incomplete
	Guess        bool                  `json:"guess,omitempty"`         // answered without having looked at the text
	UnknownMarks []string              `json:"unknown_marks,omitempty"` // at most 50 marks that nobody gave
	Evidence     []trajectory.Evidence `json:"evidence,omitempty"`      // cited passages that fit; the log has the rest
	// grounding of at most 200 values of the answer; the log has the rest
	Grounding *trajectory.Grounding `json:"grounding,omitempty"`
	Metadata  json.RawMessage       `json:"metadata,omitempty"` // the job's metadata
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

// longestAnswer is the length of the longest answer that is stored in a result.
const longestAnswer = 500_000

// longestReply is the length of the longest reply that is stored in a result, in bytes.
const longestReply = 2000

// resultOf returns the outcome of a run as the result of its job.
func resultOf(e entry, res runner.Result) Result {
	r := Result{
		ID: e.Job.ID, Key: e.Key, Index: e.Index, Run: e.Run, Try: e.Try, Paid: e.Paid, Metadata: e.Job.Metadata,
		State: Dead, Typed: res.Typed, Status: string(res.Status), Reason: res.Reason, Kind: res.ErrorKind,
		Unpriced: res.Unpriced, Turns: res.Turns, SubCalls: res.SubCalls,
		Tokens: trajectory.UsageOf(res.Usage).Tokens(), Duration: res.Duration, Unsupported: res.Unsupported,
		Guess: res.Guess, CutReplies: res.CutReplies, Evidence: fitting(res.Evidence), Grounding: first(res.Grounding),
		UnknownMarks: res.UnknownMarks[:min(len(res.UnknownMarks), mostMarks)],
	}
	if res.Cost != nil {
		r.Cost = *res.Cost
	}
	switch {
	case res.HasAnswer && res.ExitCode() == exitcode.Answered:
		r.State = Done
		if res.Status == termination.Completed {
			r.Reason = ""
		}
		r.Answer = res.Answer
	case r.Reason == "":
		r.Reason = "the run ended with status " + r.Status
	}
	if r.State == Dead {
		r.Reply = text.Short(cmp.Or(res.Reply, res.Answer), longestReply)
	}
	return r
}

// mostEvidence bounds the evidence stored in a result, in bytes.
const mostEvidence = 64 << 10

// fitting returns the first passages that fit into a result.
func fitting(all []trajectory.Evidence) []trajectory.Evidence {
	size := 0
	for i, e := range all {
		if size += len(e.Quote) + len(e.Document) + len(e.Part) + 100; size > mostEvidence {
			return all[:i]
		}
	}
	return all
}

// mostMarks bounds the unknown marks stored in a result.
const mostMarks = 50

// mostValues bounds the values whose grounding is stored in a result.
const mostValues = 200

func first(g *trajectory.Grounding) *trajectory.Grounding {
	if g == nil || len(g.Values) <= mostValues {
		return g
	}
	some := *g
	some.Values = g.Values[:mostValues]
	return &some
}

// AnswerIn returns the answer of a result, reading it from the log of its run in runsDir if necessary.
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

// subject is the subject of the result of a job's try. Only the first message with it counts.
func (r Result) subject() string { return resultSubject(r.Batch, r.Key, r.Try) }

func resultSubject(batch, key string, try int) string {
	return resultsSubject + batch + "." + key + "." + strconv.Itoa(try)
}

// publish stores a result. ours is false if there was already another result.
func (q *Queue) publish(ctx context.Context, r Result) (ours bool, err error) {
	if r, err = q.shortened(ctx, r); err != nil {
		return false, fmt.Errorf("store the result of %s: %w", r.ID, err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return false, fmt.Errorf("store the result of %s: %w", r.ID, err)
	}
	_, err = jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.PubAck, error) {
		return q.conn.JS.Publish(ctx, r.subject(), data, jetstream.WithExpectLastSequencePerSubject(0))
	})
	if err == nil {
		return true, nil
	}
	if !wrongSequence(err) {
		return false, fmt.Errorf("store the result of %s: %w", r.ID, q.why(err))
	}
	there, found, err := q.result(ctx, r.Batch, r.Key, r.Try)
	return err == nil && found && there.Run == r.Run && there.State == r.State, err // only the acknowledgement was lost
}

// shortened returns a result for a message: an answer that is too long is stored elsewhere.
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

// whole returns a result with its answer, which may be stored elsewhere.
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

// result returns the result of a job's try.
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
