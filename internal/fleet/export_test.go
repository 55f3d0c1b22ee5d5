package fleet

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Hurry divides the times that nodes and readers of a queue wait between two requests.
func (q *Queue) Hurry(by time.Duration) {
	t := &q.times
	t.fetch, t.idle, t.record, t.status = t.fetch/by, t.idle/by, t.record/by, t.status/by
}

// HurryModels divides the time that jobs wait for a node that has their models.
func (q *Queue) HurryModels(by time.Duration) {
	t := &q.times
	t.models, t.putBack, t.longestPut, t.asked = t.models/by, t.putBack/by, t.longestPut/by, t.asked/by
}

// HurryReaders divides the time that readers wait for a message that exists.
func (q *Queue) HurryReaders(by time.Duration) {
	q.times.late, q.times.giveUp = q.times.late/by, q.times.giveUp/by
}

// Mute takes part in a batch like a node that is too busy to answer, until the returned function is called.
func (q *Queue) Mute(batch string) (stop func() error, err error) {
	sub, err := q.conn.NC.SubscribeSync(liveSubject + batch)
	if err == nil {
		err = q.conn.NC.Flush()
	}
	return sub.Unsubscribe, err
}

// SetSpans makes the jobs of a batch share messages if it has at least twice as many.
func (q *Queue) SetSpans(n int) { q.spans = n }

// Through wraps the connection to the server.
func (q *Queue) Through(change func(jetstream.JetStream) jetstream.JetStream) {
	q.conn.JS = change(q.conn.JS)
}
