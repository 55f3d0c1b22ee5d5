package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Status is the progress of a batch.
type Status struct {
	Batch
	Created   time.Time    `json:"created"`
	Jobs      int          `json:"jobs"`
	Done      int          `json:"done"`
	Dead      int          `json:"dead"`
	Running   []RunningJob `json:"running,omitempty"` // the longest-running first
	Queued    int          `json:"queued"`
	Cancelled bool         `json:"cancelled,omitempty"`
	Cost      float64      `json:"cost"`               // in USD, of all results, if prices are known
	Unpriced  bool         `json:"unpriced,omitempty"` // some results came from models without a known price
	Tokens    int64        `json:"tokens"`
	Last      time.Time    `json:"last,omitzero"` // when the last result arrived
	// Stopped explains why jobs stay in the queue although nodes have free slots: the batch's budget is used up, or
	// it is cancelled.
	Stopped string `json:"stopped,omitempty"`
	// Lacks lists the models that jobs wait for because no node has them.
	Lacks []MissingModel `json:"lacks,omitempty"`
	// Nodes is the number of processes that run jobs of the batch.
	Nodes int `json:"nodes"`
	// TokensPerMinute is the speed of these nodes, and Left the time that the remaining jobs take at this speed; 0:
	// not known yet.
	TokensPerMinute float64       `json:"tokens_per_minute,omitempty"`
	Left            time.Duration `json:"left,omitempty"`
}

// RunningJob is a running job.
type RunningJob struct {
	ID    string    `json:"id"`
	Run   string    `json:"run"`
	Turn  int       `json:"turn"`
	Since time.Time `json:"since"`
	Waits bool      `json:"waits,omitempty"` // the job failed and waits to be retried
}

// tally is the sum of the results up to a sequence number.
type tally struct {
	counts
	usage
	Seq  uint64    `json:"seq"`
	Last time.Time `json:"last,omitzero"`
	// Unpriced means that the true cost is higher.
	Unpriced bool `json:"unpriced,omitempty"`
}

func (t *tally) add(r Result, at time.Time) {
	t.counts.add(r.State)
	t.usage = t.plus(usage{r.Cost - r.Paid.Cost, r.Tokens - r.Paid.Tokens})
	t.Seq, t.Last = r.Seq, at
	t.Unpriced = t.Unpriced || len(r.Unpriced) > 0
}

// tallyEvery is how many results are counted before their sum is stored, so that later counts need not read all
// results.
const tallyEvery = 500

// count sums up the results of a batch.
func (q *Queue) count(ctx context.Context, batch string) (t tally, err error) {
	entry, err := q.conn.Get(ctx, q.tallies, batch)
	if err == nil {
		err = json.Unmarshal(entry.Value(), &t)
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return t, fmt.Errorf("count the results of %s: %w", batch, q.why(err))
	}
	kept := t.Seq
	for msg, err := range q.messages(ctx, q.results, resultsSubject+batch+".*.*", t.Seq+1, false) {
		if err != nil {
			return t, err
		}
		r, err := decodeResult(batch, msg)
		if err != nil {
			return t, err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return t, fmt.Errorf("count the results of %s: %w", batch, err)
		}
		t.add(r, meta.Timestamp)
	}
	if t.Seq-kept >= tallyEvery {
		data, err := json.Marshal(t)
		if err != nil {
			return t, fmt.Errorf("count the results of %s: %w", batch, err)
		}
		// Replacing a newer sum with an older one would be harmless, but slow later counts down.
		if entry == nil {
			_, _ = q.tallies.Create(ctx, batch, data)
		} else {
			_, _ = q.tallies.Update(ctx, batch, data, entry.Revision())
		}
	}
	return t, nil
}

// Status returns the progress of a batch.
func (q *Queue) Status(ctx context.Context, batch string) (Status, error) {
	r, err := q.record(ctx, batch)
	if err != nil {
		return Status{}, err
	}
	return q.status(ctx, r)
}

// List returns the progress of all batches, the newest first.
func (q *Queue) List(ctx context.Context) ([]Status, error) {
	list, _, err := q.Part(ctx, 0, math.MaxInt)
	return list, err
}

// Part returns the progress of some of the batches, the newest first, and the number of all batches.
func (q *Queue) Part(ctx context.Context, offset, limit int) (list []Status, total int, err error) {
	records, err := q.records(ctx)
	if err != nil {
		return nil, 0, err
	}
	total = len(records)
	records = records[min(max(offset, 0), total):]
	for _, r := range records[:min(limit, len(records))] {
		s, err := q.status(ctx, r)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, s)
	}
	return list, total, nil
}

func (q *Queue) status(ctx context.Context, r record) (Status, error) {
	t, err := q.count(ctx, r.ID)
	if err != nil {
		return Status{}, err
	}
	s := Status{
		Batch: r.Batch, Created: r.Created, Jobs: r.Jobs, Cancelled: r.Cancelled, Done: t.Done - r.Stale.Done,
		Dead: t.Dead - r.Stale.Dead,
		Cost: t.Cost, Unpriced: t.Unpriced, Tokens: t.Tokens, Last: t.Last,
	}
	if s.Cancelled {
		s.Stopped = "the batch is cancelled"
	}
	why, going := "", 0
	var all throughput
	reports, _ := q.live(r.ID)
	for _, l := range reports {
		all.add(l.Pace)
		s.Nodes++
		s.Running = append(s.Running, l.Running...)
		s.Lacks = append(s.Lacks, l.Lacks...)
		if why = cmp.Or(why, l.Stopped); l.Stopped == "" {
			going++
		}
	}
	if s.Nodes == 0 && s.Done+s.Dead < s.Jobs {
		why = q.usedUp(ctx, r, t.usage) // nodes leave a stopped batch
	}
	if s.Stopped == "" && going == 0 {
		s.Stopped = why
	}
	slices.SortFunc(s.Running, func(a, b RunningJob) int { return a.Since.Compare(b.Since) })
	s.Queued = max(0, s.Jobs-s.Done-s.Dead-len(s.Running))
	if s.Lacks = longest(s.Lacks); s.Queued == 0 {
		s.Lacks = nil // the jobs that lacked models have run or were set aside
	}
	s.TokensPerMinute, s.Left = all.tokens*60, all.left(s.Jobs-s.Done-s.Dead)
	return s, nil
}

// longest keeps the oldest report for each set of missing models, because nodes that started later know less.
func longest(lacks []MissingModel) []MissingModel {
	slices.SortFunc(lacks, func(a, b MissingModel) int {
		return cmp.Or(slices.Compare(a.Models, b.Models), a.Since.Compare(b.Since))
	})
	return slices.CompactFunc(lacks, func(a, b MissingModel) bool { return slices.Equal(a.Models, b.Models) })
}

// nodeReport is a node's report on a batch that it runs.
type nodeReport struct {
	Running []RunningJob   `json:"running"`
	Stopped string         `json:"stopped,omitempty"`
	Lacks   []MissingModel `json:"lacks,omitempty"`
	Pace    nodeProgress   `json:"pace,omitzero"`
}

// How long to wait for reports of nodes. Where there is no node, the server says so at once, and others answer at once
// unless their machine is very busy.
const (
	livePatience = 2 * time.Second
	liveQuiet    = 25 * time.Millisecond  // for another node
	farQuiet     = 100 * time.Millisecond // for another one, on another machine
)

// live asks the nodes that run jobs of a batch. silent means that there are some, and that none answered in time.
func (q *Queue) live(batch string) (list []nodeReport, silent bool) {
	inbox := q.conn.NC.NewInbox()
	sub, err := q.conn.NC.SubscribeSync(inbox)
	if err != nil {
		return nil, false
	}
	defer func() { _ = sub.Unsubscribe() }()
	if q.conn.NC.PublishRequest(liveSubject+batch, inbox, nil) != nil {
		return nil, false
	}
	wait := livePatience
	for end := time.Now().Add(livePatience); time.Now().Before(end); {
		msg, err := sub.NextMsg(wait)
		if err != nil {
			silent = len(list) == 0 && errors.Is(err, nats.ErrTimeout) // else no node is subscribed
			break
		}
		var l nodeReport
		if json.Unmarshal(msg.Data, &l) == nil {
			list = append(list, l)
		}
		if wait = liveQuiet; q.conn.Remote {
			wait = farQuiet
		}
	}
	return list, silent
}

// tell answers requests for the state of a batch, until the subscription ends.
func (q *Queue) tell(batch string, now func() nodeReport) (*nats.Subscription, error) {
	return q.conn.NC.Subscribe(liveSubject+batch, func(msg *nats.Msg) {
		if data, err := json.Marshal(now()); err == nil {
			_ = msg.Respond(data) // if it is lost, the process will ask again
		}
	})
}
