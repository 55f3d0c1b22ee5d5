package chat

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// takeOver opens the session here, instead of in the other terminal that has, or had, it open. The other terminal
// then follows.
func (t *terminal) takeOver(ctx context.Context, out sink) error {
	at := t.here()
	switch at.where {
	case inProcess:
		return errors.New("this terminal already has the session open")
	case atServer:
		return errors.New("the session stays on its server")
	}
	t.moving.Lock()
	defer t.moving.Unlock()
	_, err := at.Do(ctx, session.Request{Command: "take-over", Session: at.id})
	if _, refused := errors.AsType[*session.Error](err); refused {
		return err // any other error means that the other terminal is gone
	}
	p, err := t.own.succeed(ctx, at.id)
	if err != nil {
		return err
	}
	t.settle(p)
	at.close()
	t.refresh(ctx)
	out.show("this terminal now has the session open")
	return nil
}

// letGoTime is how long a process that ends, or has given up a session, may take to release its log.
const letGoTime = 5 * time.Second

// succeed opens a session that another process has just closed.
func (o *own) succeed(ctx context.Context, id string) (p sessionHandle, err error) {
	for end := time.Now().Add(letGoTime); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(followPause) {
		p, err = o.enter(ctx, id)
		if locked := (*trajectory.LockedError)(nil); !errors.As(err, &locked) {
			return p, err
		}
	}
	return p, err
}

// followTime is how long another terminal may take to open a session that it has taken over.
const (
	followTime  = time.Minute
	followPause = 50 * time.Millisecond
)

// following waits until another terminal shares a session that it has taken over.
func (o *own) following(ctx context.Context, dir string) (sessionHandle, error) {
	for end := time.Now().Add(followTime); time.Now().Before(end); {
		if p, ok := o.neighbour(ctx, dir); ok {
			return p, nil
		}
		select {
		case <-time.After(followPause):
		case <-ctx.Done():
			return sessionHandle{}, ctx.Err()
		}
	}
	return sessionHandle{}, os.ErrDeadlineExceeded
}
