package fleet

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// removePatience is how long it may take to remove what a reader left.
const removePatience = 5 * time.Second

// messages yields the messages of a subject from a sequence on: those that are there, and with wait those that come until ctx is done. It
// goes on where a reader of the server is lost, so that without an error nothing is missing. The server of this machine may hold what it cannot
// read any more, after an error of the disk: it is given up then.
func (q *Queue) messages(ctx context.Context, stream jetstream.Stream, subject string, from uint64, wait bool) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		at, end := from, time.Now().Add(jet.AnswerPatience)
		for q.read(ctx, stream, subject, &from, wait, yield) && sleep(ctx, readAgain) == nil {
			if from > at {
				at, end = from, time.Now().Add(jet.AnswerPatience)
			}
			failed := q.conn.Failed()
			if failed == nil && !q.conn.Remote && time.Now().After(end) {
				failed = errLate
			}
			if failed != nil {
				yield(nil, fmt.Errorf("read the queue: %w", failed))
				return
			}
		}
	}
}

// newest is the place of the last message of a subject, 0 without one. A reader may lie on a server that was away and does not have it yet;
// this is what the server says that leads.
func (q *Queue) newest(ctx context.Context, stream jetstream.Stream, subject string) (uint64, error) {
	msg, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return stream.GetLastMsgForSubject(ctx, subject)
	})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return msg.Sequence, nil
}

// readAgain is the time until a reader that was lost is replaced.
const readAgain = 100 * time.Millisecond

// late is how long a message that is there may take; then it is looked whether it still is. errLate says so.
const late = 5 * time.Second

var errLate = errors.New("a message that is there does not come (does the disk report errors?); the same command goes on")

// next is the next message of a reader: one that is there, or with wait one that comes.
func (q *Queue) next(ctx context.Context, msgs jetstream.MessagesContext, wait bool) (jetstream.Msg, error) {
	if wait {
		return msgs.Next(jetstream.NextContext(ctx))
	}
	there, cancel := context.WithTimeoutCause(ctx, late, errLate)
	defer cancel()
	msg, err := msgs.Next(jetstream.NextContext(there))
	if err != nil && ctx.Err() == nil && there.Err() != nil {
		err = errLate
	}
	return msg, err
}

// read yields messages by one reader of the server, and moves from behind each of them. It reports whether the reader was lost on the way.
func (q *Queue) read(ctx context.Context, stream jetstream.Stream, subject string, from *uint64, wait bool, yield func(jetstream.Msg, error) bool) (lost bool) {
	failed := func(err error) bool {
		if ctx.Err() == nil {
			yield(nil, fmt.Errorf("read the queue: %w", q.why(err)))
		}
		return false
	}
	last := uint64(math.MaxUint64)
	if !wait {
		var err error
		if last, err = q.newest(ctx, stream, subject); err != nil {
			return failed(err)
		}
		if last < *from || last == 0 {
			return false
		}
	}
	name := stream.CachedInfo().Config.Name
	cfg := jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverAllPolicy}
	if *from > 1 {
		cfg.DeliverPolicy, cfg.OptStartSeq = jetstream.DeliverByStartSequencePolicy, *from
	}
	consumer, err := jet.Ask(ctx, q.conn, func(ctx context.Context) (jetstream.Consumer, error) {
		return q.conn.JS.OrderedConsumer(ctx, name, cfg)
	})
	if err != nil {
		return failed(err)
	}
	defer func() {
		// The server would keep it for minutes, and there is a limit to their number.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removePatience)
		defer cancel()
		_ = q.conn.JS.DeleteConsumer(ctx, name, consumer.CachedInfo().Name)
	}()
	msgs, err := consumer.Messages()
	if err != nil {
		return failed(err)
	}
	defer msgs.Stop()
	for *from <= last {
		msg, err := q.next(ctx, msgs, wait)
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) || errors.Is(err, errLate) {
			return true
		}
		if err != nil {
			return failed(err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return failed(err)
		}
		if *from = meta.Sequence.Stream + 1; !yield(msg, nil) {
			return false
		}
	}
	return false
}
