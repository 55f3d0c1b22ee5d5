package fleet

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// removePatience is how long it may take to remove what a reader left.
const removePatience = 5 * time.Second

// messages yields the messages of a subject from a sequence on: those that are there, and with wait those that come until ctx is done.
func (q *Queue) messages(ctx context.Context, stream, subject string, from uint64, wait bool) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		failed := func(err error) {
			if ctx.Err() == nil {
				yield(nil, fmt.Errorf("read the queue: %w", q.why(err)))
			}
		}
		cfg := jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverAllPolicy}
		if from > 1 {
			cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, from
		}
		consumer, err := ask(ctx, q, func(ctx context.Context) (jetstream.Consumer, error) { return q.js.OrderedConsumer(ctx, stream, cfg) })
		if err != nil {
			failed(err)
			return
		}
		defer func() {
			// The server would keep it for minutes, and there is a limit to their number.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removePatience)
			defer cancel()
			_ = q.js.DeleteConsumer(ctx, stream, consumer.CachedInfo().Name)
		}()
		there := consumer.CachedInfo().NumPending
		if there == 0 && !wait {
			return
		}
		msgs, err := consumer.Messages()
		if err != nil {
			failed(err)
			return
		}
		defer msgs.Stop()
		for n := uint64(0); wait || n < there; n++ {
			msg, err := msgs.Next(jetstream.NextContext(ctx))
			if err != nil {
				if !errors.Is(err, jetstream.ErrMsgIteratorClosed) {
					failed(err)
				}
				return
			}
			if !yield(msg, nil) {
				return
			}
		}
	}
}
