package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Jobs may name models that not every node has. A node that takes one that it cannot run asks the others: one that has the models takes the job
// and runs it in its turn. Where all of those have enough to do, the job is put back into the queue for a while. Where there is none, it waits
// there for one that comes, and is set aside when none has come for long. No node waits for the answer: it goes on with other jobs.

const (
	modelsSubject = "rlm.models." // who looks for models
	foundSubject  = "rlm.found."  // who has them
	lackSubject   = "rlm.lack."   // nobody has answered

	holdAhead    = 4                // jobs that a node takes for later, for each of its slots
	soughtForget = 10 * time.Minute // nobody looks for the models any more
	asksAtOnce   = 16               // of a node that has been told of others with the models
	mostLacks    = 20               // that are told

	defaultPatience = 5 * time.Minute
)

// MissingModel is what jobs of a batch wait for: no node has the models that they name.
type MissingModel struct {
	Models []string  `json:"models"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"` // when the jobs are set aside
}

func (l MissingModel) String() string { return "no node has " + called(l.Models) }

// called names models.
func called(models []string) string {
	quoted := make([]string, len(models))
	for i, name := range models {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	if len(quoted) == 1 {
		return "the model " + quoted[0]
	}
	return "the models " + strings.Join(quoted, " and ")
}

// models are those that a job names.
func (j Job) models() []string {
	var list []string
	for _, name := range []string{j.Model, j.SubModel} {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// has says that jobs may name all these models here.
func (n *Node) has(models []string) bool { return covers(n.Models, models) }

// covers says that models are all among those of a node. nil: it has any.
func covers(node, models []string) bool {
	return node == nil || !slices.ContainsFunc(models, func(name string) bool { return !slices.Contains(node, name) })
}

// modelRequests are models that nodes look for, as far as this one has heard: who has asked and got no answer tells all others, and so does who has them.
type modelRequests struct {
	mu   sync.Mutex
	list map[string]*modelRequest // by names
}

type modelRequest struct {
	models      []string
	since, last time.Time // when somebody had no answer, first and last; zero: there is a node, or nobody has asked
	asking      int       // asks of this node that are not answered yet
	told        time.Time // when this node told that it has them
	silent      time.Time // when this node asked last and had no answer
}

// with does something with what is known of models.
func (s *modelRequests) with(models []string, do func(*modelRequest)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(models, "\x00")
	l := s.list[key]
	if l == nil {
		l = &modelRequest{models: models}
		if s.list == nil {
			s.list = map[string]*modelRequest{}
		}
		s.list[key] = l
	}
	do(l)
}

// missed takes in that somebody looked for models and had no answer.
func (s *modelRequests) missed(models []string, now time.Time) {
	s.with(models, func(l *modelRequest) {
		if now.Sub(l.last) > soughtForget {
			l.since = now
		}
		l.last = now
	})
}

// found takes in which models a node has.
func (s *modelRequests) found(there []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.list {
		if covers(there, l.models) {
			l.since, l.last, l.silent = time.Time{}, time.Time{}, time.Time{}
		}
	}
}

// begin says that this node is to ask for models now.
func (s *modelRequests) begin(models []string) (ask bool) {
	s.with(models, func(l *modelRequest) {
		if ask = l.asking == 0 || l.since.IsZero() && l.asking < asksAtOnce; ask {
			l.asking++
		}
	})
	return ask
}

func (s *modelRequests) end(models []string) { s.with(models, func(l *modelRequest) { l.asking-- }) }

// lacks are the models that nobody has.
func (s *modelRequests) lacks(now time.Time, patience time.Duration) []MissingModel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []MissingModel
	for _, l := range s.list {
		if len(list) < mostLacks && !l.since.IsZero() && now.Sub(l.last) <= soughtForget {
			list = append(list, MissingModel{l.models, l.since, l.since.Add(patience)})
		}
	}
	return list
}

// passOn is for a span of which this node can run no job that is left: a node that has the models gets it, or it waits in the queue.
func (w *worker) passOn(ctx context.Context, msg jetstream.Msg, meta *jetstream.MsgMetadata, h *spanLease, left []entry) {
	models := left[0].Job.models()
	again := func() {
		w.forget(h)
		_ = msg.NakWithDelay(min(time.Duration(meta.NumDelivered)*w.Queue.times.putBack, w.Queue.times.longestPut)) // if it is lost, the span comes again after a silence
	}
	if !w.sought.begin(models) {
		again()
		return
	}
	begun := w.begins(func() {
		defer w.sought.end(models)
		there, taken := w.offer(ctx, models, msg, meta)
		switch {
		case taken:
			w.log.Info("hands a job over to a node that has its model", "batch", w.Batch, "job", left[0].Job.ID)
			w.forget(h)
		case ctx.Err() != nil:
			w.giveBack(h, len(left))
		case !there && w.Queue.conn.NC.IsConnected() && w.waited(models, meta.Timestamp):
			w.aside(h, left)
		default:
			again()
		}
	})
	if !begun {
		w.sought.end(models)
		w.giveBack(h, len(left))
	}
}

// offer looks for a node that has models, and gives it a span.
func (w *worker) offer(ctx context.Context, models []string, msg jetstream.Msg, meta *jetstream.MsgMetadata) (there, taken bool) {
	known := false
	w.sought.with(models, func(l *modelRequest) { known = time.Since(l.silent) < w.Queue.times.asked })
	if known {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, w.Queue.times.models)
	defer cancel()
	data, err := json.Marshal(models)
	if err != nil {
		return false, false
	}
	answer, err := w.Queue.conn.NC.RequestWithContext(ctx, modelsSubject+w.Batch, data)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && w.Queue.conn.NC.IsConnected() {
			w.sought.with(models, func(l *modelRequest) { l.silent = time.Now() })
			_ = w.Queue.conn.NC.Publish(lackSubject+w.Batch, data) // it is told again
		}
		return false, false
	}
	return true, len(answer.Data) > 0 && w.hand(ctx, msg, meta, string(answer.Data))
}

// waited says that jobs that were put into the queue then have waited long enough for a node that has models.
func (w *worker) waited(models []string, put time.Time) (long bool) {
	w.sought.with(models, func(l *modelRequest) {
		long = !l.since.IsZero() && time.Since(l.since) >= w.Patience && time.Since(put) >= w.Patience
	})
	return long
}

// aside sets jobs aside because no node can run them.
func (w *worker) aside(h *spanLease, entries []entry) {
	for _, e := range entries {
		r := deadResult(e, fmt.Sprintf("no node has had %s for %s", called(e.Job.models()), w.Patience))
		r.Batch = w.Batch
		_, err := w.Queue.publish(context.WithoutCancel(w.work), r)
		if err != nil {
			w.fail(err)
		}
		w.settle(h, 1, err != nil)
	}
}

// forget is for a span that this node has not any more.
func (w *worker) forget(h *spanLease) {
	w.mu.Lock()
	h.lost = true
	left := h.left
	w.mu.Unlock()
	w.settle(h, left, false)
}

// tellModels tells all nodes which models this one has.
func (w *worker) tellModels() {
	if data, err := json.Marshal(w.Models); err == nil {
		_ = w.Queue.conn.NC.Publish(foundSubject+w.Batch, data) // it is told again when somebody asks
	}
}

// asked answers those who look for a node that has models.
func (w *worker) asked(msg *nats.Msg, inbox string) {
	var models []string
	if json.Unmarshal(msg.Data, &models) != nil || !w.has(models) {
		return
	}
	w.sought.with(models, func(l *modelRequest) {
		if now := time.Now(); now.Sub(l.told) >= w.Queue.times.models {
			l.told = now
			w.tellModels()
		}
	})
	switch {
	case w.stopped() != "":
	case w.slots.Room():
		_ = msg.Respond([]byte(inbox)) // who asked asks again
	case int(w.ahead.Load()) < holdAhead*max(1, w.Slots):
		time.AfterFunc(w.Queue.times.busy, func() { _ = msg.Respond([]byte(inbox)) })
	default:
		time.AfterFunc(2*w.Queue.times.busy, func() { _ = msg.Respond(nil) })
	}
}

// acceptLater runs the jobs of a span that another node hands over when there are slots for them.
func (w *worker) acceptLater(ctx context.Context, msg *nats.Msg) bool {
	d, seq, err := handedOver(msg)
	if err != nil || w.stopped() != "" || ctx.Err() != nil {
		return false
	}
	return w.begins(func() {
		w.ahead.Add(1)
		defer w.ahead.Add(-1)
		_ = d.InProgress() // one that is lost is followed by others
		h, entries, err := w.hold(ctx, d, seq)
		if err != nil {
			return // after a silence another node gets it
		}
		w.startAll(ctx, h, entries)
	})
}
