package fleet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
)

// badReaders is a connection to a server. If fail returns an error, reading results through it fails with that
// error.
type badReaders struct {
	jetstream.JetStream
	fail func() error
}

func (b badReaders) OrderedConsumer(
	ctx context.Context, stream string, cfg jetstream.OrderedConsumerConfig,
) (jetstream.Consumer, error) {
	c, err := b.JetStream.OrderedConsumer(ctx, stream, cfg)
	if err != nil || stream != "rlm_results" {
		return c, err
	}
	return badReader{c, b}, nil
}

type badReader struct {
	jetstream.Consumer
	badReaders
}

func (r badReader) Messages(opts ...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	msgs, err := r.Consumer.Messages(opts...)
	return badMessages{msgs, r.badReaders}, err
}

type badMessages struct {
	jetstream.MessagesContext
	badReaders
}

func (m badMessages) Next(opts ...jetstream.NextOpt) (jetstream.Msg, error) {
	if err := m.fail(); err != nil {
		return nil, err
	}
	return m.MessagesContext.Next(opts...)
}

// A reader that is lost after a long time without messages is replaced. The command does not fail, because no
// message was overdue.
func TestAReaderThatIsLostAfterAQuietWait(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	reads := openQueue(t, p.dir)
	reads.HurryReaders(10)
	var readers atomic.Int32
	reads.Through(func(js jetstream.JetStream) jetstream.JetStream {
		return badReaders{js, func() error {
			if readers.Add(1) > 1 {
				return nil
			}
			time.Sleep(3500 * time.Millisecond) // longer than a reader waits for a message that exists
			return jetstream.ErrMsgIteratorClosed
		}}
	})
	got := make(chan error, 1)
	go func() {
		for _, err := range fleet.Results(t.Context(), reads, "b", fleet.ResultQuery{Wait: true}) {
			got <- err
			return
		}
		got <- context.Canceled
	}()
	require.Eventually(t, func() bool { return readers.Load() > 1 || len(got) > 0 }, time.Minute, 10*time.Millisecond)
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	require.NoError(t, <-got)
}

// If no reader delivers a message that the server counts, the command fails with an error that suggests a cause.
func TestAMessageThatDoesNotCome(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	reads := openQueue(t, p.dir)
	reads.HurryReaders(10)
	reads.Through(func(js jetstream.JetStream) jetstream.JetStream {
		return badReaders{js, func() error { return context.DeadlineExceeded }}
	})
	_, err = fleet.Latest(t.Context(), reads, "b")
	require.ErrorContains(t, err, "does the disk report errors?")
}
