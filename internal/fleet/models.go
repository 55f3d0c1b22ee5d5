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

// Jobs may name models that not every node has. A node that takes a job it cannot run asks the other nodes: one
// that has the models takes the job and runs it in its turn. If all such nodes are busy, the job is put back into
// the queue for a while. If no node has the models, the job waits in the queue, and is set aside if none appears
// for a long time. The asking node does not wait for an answer: it continues with other jobs.

const (
	modelsSubject = "rlm.models." // requests for models
	foundSubject  = "rlm.found."  // nodes announce their models
	lackSubject   = "rlm.lack."   // nodes announce requests that nobody has answered

	holdAhead    = 4                // jobs that a node accepts for later, per slot
	soughtForget = 10 * time.Minute // time after which missing models are forgotten
	foundLately  = 5 * time.Second  // an unanswered request heard of this soon after an answer was the older one
	asksAtOnce   = 16               // concurrent requests of a node for models not known to be missing
	mostLacks    = 20               // missing models in a report

	defaultPatience = 5 * time.Minute
)

// MissingModel is a set of models that jobs of a batch name and no node has.
type MissingModel struct {
	Models []string  `json:"models"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"` // when the jobs will be set aside
}

func (l MissingModel) String() string { return "no node has " + called(l.Models) }

// called formats the names of models for a message.
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

// models returns the models that a job names.
func (j Job) models() []string {
	var list []string
	for _, name := range []string{j.Model, j.SubModel} {
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// has reports whether jobs may name all these models on this node.
func (n *Node) has(models []string) bool { return covers(n.Models, models) }

// covers reports whether a node has all models. A nil node list means any model.
func covers(node, models []string) bool {
	return node == nil || !slices.ContainsFunc(models, func(name string) bool { return !slices.Contains(node, name) })
}

// modelRequests are the models that nodes look for, as far as this node knows. A node that gets no answer announces
// this to all others; a node that has the models announces them.
type modelRequests struct {
	mu   sync.Mutex
	list map[string]*modelRequest // requests by joined names of models
}

type modelRequest struct {
	models      []string
	since, last time.Time // first and last unanswered request; zero: some node has them, or nobody has asked
	found       time.Time // when a node last said that it has them
	asking      int       // pending requests of this node
	told        time.Time // when this node announced that it has the models
	silent      time.Time // last unanswered request of this node
}

// with calls do with the entry for models.
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

// missed records that a node looked for models and got no answer. Announcements may overtake each other.
func (s *modelRequests) missed(models []string, now time.Time) {
	s.with(models, func(l *modelRequest) {
		if now.Sub(l.found) < foundLately {
			return
		}
		if now.Sub(l.last) > soughtForget {
			l.since = now
		}
		l.last = now
	})
}

// found records that some node has the given models.
func (s *modelRequests) found(there []string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.list {
		if covers(there, l.models) {
			l.since, l.last, l.silent, l.found = time.Time{}, time.Time{}, time.Time{}, now
		}
	}
}

// begin reports whether this node should ask for models now.
func (s *modelRequests) begin(models []string) (ask bool) {
	s.with(models, func(l *modelRequest) {
		if ask = l.asking == 0 || l.since.IsZero() && l.asking < asksAtOnce; ask {
			l.asking++
		}
	})
	return ask
}

func (s *modelRequests) end(models []string) { s.with(models, func(l *modelRequest) { l.asking-- }) }

// lacks returns the models that no node has.
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

// passOn handles a span whose remaining jobs this node cannot run: a node that has the models gets it, or it
// returns to the queue.
func (w *worker) passOn(
	ctx context.Context, msg jetstream.Msg, meta *jetstream.MsgMetadata, h *spanLease, left []entry,
) {
	models := left[0].Job.models()
	again := func() {
		w.forget(h)
		// If this is lost, the ack timeout has the same effect.
		_ = msg.NakWithDelay(min(time.Duration(meta.NumDelivered)*w.Queue.times.putBack, w.Queue.times.longestPut))
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

// offer looks for a node that has the models, and hands it the span.
func (w *worker) offer(
	ctx context.Context, models []string, msg jetstream.Msg, meta *jetstream.MsgMetadata,
) (there, taken bool) {
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
			_ = w.Queue.conn.NC.Publish(lackSubject+w.Batch, data) // if it is lost, a later request repeats it
		}
		return false, false
	}
	return true, len(answer.Data) > 0 && w.hand(ctx, msg, meta, string(answer.Data))
}

// waited reports whether jobs that were put into the queue at the given time have waited long enough for a node
// with the models.
func (w *worker) waited(models []string, put time.Time) (long bool) {
	w.sought.with(models, func(l *modelRequest) {
		long = !l.since.IsZero() && time.Since(l.since) >= w.Patience && time.Since(put) >= w.Patience
	})
	return long
}

// aside sets jobs aside, with a result, because no node can run them.
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

// forget drops a span that this node no longer holds.
func (w *worker) forget(h *spanLease) {
	w.mu.Lock()
	h.lost = true
	left := h.left
	w.mu.Unlock()
	w.settle(h, left, false)
}

// tellModels announces this node's models to all nodes.
func (w *worker) tellModels() {
	if data, err := json.Marshal(w.Models); err == nil {
		_ = w.Queue.conn.NC.Publish(foundSubject+w.Batch, data) // a later request makes up for a loss
	}
}

// asked answers a node that looks for models.
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
		_ = msg.Respond([]byte(inbox)) // the other node will ask again
	case int(w.ahead.Load()) < holdAhead*max(1, w.Slots):
		time.AfterFunc(w.Queue.times.busy, func() { _ = msg.Respond([]byte(inbox)) })
	default:
		time.AfterFunc(2*w.Queue.times.busy, func() { _ = msg.Respond(nil) })
	}
}

// acceptLater accepts a span from another node and runs its jobs when there are slots.
func (w *worker) acceptLater(ctx context.Context, msg *nats.Msg) bool {
	d, seq, err := handedOver(msg)
	if err != nil || w.stopped() != "" || ctx.Err() != nil {
		return false
	}
	return w.begins(func() {
		w.ahead.Add(1)
		defer w.ahead.Add(-1)
		_ = d.InProgress() // a lost heartbeat does not matter: later ones follow
		h, entries, err := w.hold(ctx, d, seq)
		if err != nil {
			return // another node gets it after the ack timeout
		}
		w.startAll(ctx, h, entries)
	})
}
