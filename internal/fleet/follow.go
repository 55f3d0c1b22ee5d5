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

// removePatience is how long removing a reader may take.
const removePatience = 5 * time.Second

// messages yields the messages of a subject from a sequence number on: the existing ones, and with wait new ones
// until ctx is done; without wait, a ctx that is done is an error. If the server loses its reader, messages continues
// with a new one: no message is missing unless messages fails. After a disk error the local server may count messages
// that it cannot read; messages then fails with errLate.
func (q *Queue) messages(
	ctx context.Context, stream jetstream.Stream, subject string, from uint64, wait bool) iter.Seq2[jetstream.Msg,
	error] {
	return func(yield func(jetstream.Msg, error) bool) {
		at, began, end := from, time.Now(), time.Now().Add(q.times.giveUp)
		for ; q.read(ctx, stream, subject, &from, wait, yield); began = time.Now() {
			if err := sleep(ctx, readAgain); err != nil {
				if !wait {
					yield(nil, fmt.Errorf("read the queue: %w", err))
				}
				return
			}
			if from > at || time.Since(began) > 2*q.times.late { // messages arrived, or none was expected
				at, end = from, time.Now().Add(q.times.giveUp)
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

// newest returns the sequence of the last message of a subject, or 0 if there is none. It asks the leading server,
// because a reader may be on a server that was down and does not have the message yet.
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

// readAgain is the pause before a lost reader is replaced.
const readAgain = 100 * time.Millisecond

// errLate means that a message that the stream counts was not delivered in time.
var errLate = errors.New(
	"a stored message does not arrive (does the disk report errors?); run the same command again to continue")

// next returns the next message of a reader: an existing one, or with wait a new one.
func (q *Queue) next(ctx context.Context, msgs jetstream.MessagesContext, wait bool) (jetstream.Msg, error) {
	if wait {
		return msgs.Next(jetstream.NextContext(ctx))
	}
	there, cancel := context.WithTimeoutCause(ctx, q.times.late, errLate)
	defer cancel()
	msg, err := msgs.Next(jetstream.NextContext(there))
	if err != nil && ctx.Err() == nil && (there.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
		err = errLate
	}
	return msg, err
}

// read yields messages through one reader on the server, and advances from past each of them. It returns true if
// the reader was lost.
func (q *Queue) read(
	ctx context.Context, stream jetstream.Stream, subject string, from *uint64, wait bool,
	yield func(jetstream.Msg, error) bool,
) (lost bool) {
	failed := func(err error) bool {
		switch {
		case ctx.Err() == nil:
			yield(nil, fmt.Errorf("read the queue: %w", q.why(err)))
		case !wait: // what was read is not all
			yield(nil, fmt.Errorf("read the queue: %w", ctx.Err()))
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
		// The server would keep the reader for minutes, and their number is limited.
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
