package fleet

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// A node that takes a job and lacks its context asks whether another node with a free slot has the context, and
// hands the job over to that node. If the context is small, or nobody answers in time, the node runs the job
// itself: no job waits for the node that would suit it best.

const (
	worthAsking   = 1 << 20                // size in bytes from which a file is worth asking for
	askPerMiB     = 100 * time.Millisecond // how long to wait for an answer, per MiB of the file
	longestAsking = time.Second
	haveSubject   = "rlm.have."
)

// Headers of a job that is handed over.
const (
	headerAck = "Rlm-Ack" // the subject for its acknowledgement
	headerSeq = "Rlm-Seq" // its sequence in the queue
	saysYes   = "+"
)

// delivery is a span that was delivered by the queue, or by a node that hands it over.
type delivery interface {
	Data() []byte
	InProgress() error
	Nak() error
	DoubleAck(ctx context.Context) error
}

// forwardedMsg is a delivery from another node.
type forwardedMsg struct{ msg *nats.Msg }

func (h forwardedMsg) Data() []byte      { return h.msg.Data }
func (h forwardedMsg) InProgress() error { return h.msg.InProgress() }
func (h forwardedMsg) Nak() error        { return h.msg.Nak() }
func (h forwardedMsg) DoubleAck(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, jet.RemotePatience)
	defer cancel()
	return h.msg.AckSync(nats.Context(ctx))
}

// heaviest returns the largest file in the context of a span's only job, and how long to look for a node that has
// it.
func heaviest(s jobMessage) (object string, worth time.Duration) {
	if len(s.Entries) != 1 {
		return "", 0
	}
	size := int64(0)
	for _, src := range s.Entries[0].Job.Context {
		if src.Largest != "" && src.Size > size {
			object, size = src.Largest, src.Size
		}
	}
	if size < worthAsking {
		return "", 0
	}
	return object, min(longestAsking, time.Duration(size>>20)*askPerMiB)
}

// handOver hands a span that was just taken to a node that has its context. It returns false if this node should
// run it.
func (w *worker) handOver(ctx context.Context, msg jetstream.Msg, meta *jetstream.MsgMetadata) bool {
	if w.contexts == nil || meta.NumDelivered > 1 {
		return false
	}
	var s jobMessage
	if json.Unmarshal(msg.Data(), &s) != nil {
		return false // whoever takes the message reports the error
	}
	object, worth := heaviest(s)
	if object == "" || w.contexts.has(object) || !w.has(s.Entries[0].Job.models()) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, worth)
	defer cancel()
	there, err := w.Queue.conn.NC.RequestWithContext(ctx, haveSubject+w.Batch, []byte(object))
	if err != nil {
		return false
	}
	if !w.hand(ctx, msg, meta, string(there.Data)) {
		return false
	}
	w.log.Info("hands a job over to a node that has its context", "batch", w.Batch, "job", s.Entries[0].Job.ID)
	return true
}

// hand hands a span to the node that listens on a subject. If that node accepts but its answer is lost, both nodes
// run the span until one of them loses the run to the other.
func (w *worker) hand(ctx context.Context, msg jetstream.Msg, meta *jetstream.MsgMetadata, to string) bool {
	offer := &nats.Msg{Subject: to, Data: msg.Data(), Header: nats.Header{}}
	offer.Header.Set(headerAck, msg.Reply())
	offer.Header.Set(headerSeq, strconv.FormatUint(meta.Sequence.Stream, 10))
	answer, err := w.Queue.conn.NC.RequestMsgWithContext(ctx, offer)
	return err == nil && string(answer.Data) == saysYes
}

// handedOver reads a span that another node hands over, with its sequence in the queue.
func handedOver(msg *nats.Msg) (forwardedMsg, uint64, error) {
	seq, err := strconv.ParseUint(msg.Header.Get(headerSeq), 10, 64)
	return forwardedMsg{&nats.Msg{Sub: msg.Sub, Reply: msg.Header.Get(headerAck), Data: msg.Data}}, seq, err
}

// lend answers nodes that look for a node with a certain context or certain models, until stop is called.
func (w *worker) lend(ctx context.Context) (stop func(), err error) {
	nc := w.Queue.conn.NC
	inbox, later := nc.NewInbox(), nc.NewInbox()
	var subs []*nats.Subscription
	stop = func() {
		for _, sub := range subs {
			_ = sub.Unsubscribe()
		}
	}
	for subject, answer := range map[string]nats.MsgHandler{
		haveSubject + w.Batch: func(msg *nats.Msg) {
			if w.contexts.has(string(msg.Data)) && w.slots.Room() && w.stopped() == "" {
				_ = msg.Respond([]byte(inbox)) // if the answer is lost, the other node runs the job itself
			}
		},
		inbox:                   func(msg *nats.Msg) { says(msg, w.accept(ctx, msg)) },
		modelsSubject + w.Batch: func(msg *nats.Msg) { w.asked(msg, later) },
		foundSubject + w.Batch: func(msg *nats.Msg) {
			var models []string
			if json.Unmarshal(msg.Data, &models) == nil {
				w.sought.found(models, time.Now())
			}
		},
		lackSubject + w.Batch: func(msg *nats.Msg) {
			var models []string
			switch {
			case json.Unmarshal(msg.Data, &models) != nil:
			case w.has(models):
				w.tellModels() // this node's earlier answer came too late
			default:
				w.sought.missed(models, time.Now())
			}
		},
		later: func(msg *nats.Msg) { says(msg, w.acceptLater(ctx, msg)) },
	} {
		sub, err := nc.Subscribe(subject, answer)
		if err != nil {
			stop()
			return nil, err
		}
		subs = append(subs, sub)
	}
	w.tellModels()
	return stop, nil
}

// says answers the node that hands a job over; yes means that this node accepts it. If the answer is lost, both
// nodes start the job, until one of them loses the run to the other.
func says(msg *nats.Msg, yes bool) {
	answer := ""
	if yes {
		answer = saysYes
	}
	_ = msg.Respond([]byte(answer))
}

// accept runs the job of a span that another node hands over, if there is a slot.
func (w *worker) accept(ctx context.Context, msg *nats.Msg) bool {
	d, seq, err := handedOver(msg)
	var s jobMessage
	if err != nil || json.Unmarshal(msg.Data, &s) != nil || len(w.runs(s.Entries)) < len(s.Entries) {
		return false
	}
	if w.stopped() != "" || ctx.Err() != nil || !w.slots.Try("") {
		return false
	}
	begun := w.begins(func() {
		defer w.slots.Leave("")
		_ = d.InProgress() // a lost heartbeat does not matter: later ones follow
		h, entries, err := w.hold(ctx, d, seq)
		if err != nil || len(entries) == 0 {
			return // another node gets it after the ack timeout
		}
		w.one(h, entries[0])
		w.giveBack(h, len(entries)-1)
	})
	if !begun {
		w.slots.Leave("")
	}
	return begun
}

// begins runs a job that was not taken from the queue, unless the node is closing.
func (w *worker) begins(job func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return false
	}
	w.jobs.Go(job)
	return true
}
