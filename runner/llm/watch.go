package llm

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errSilent is the error of a request without a timely response.
var errSilent = errors.New("nothing came back in time")

// watchdog ends a try that stays silent for too long: before the response's header, or between pieces of its body.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	after  atomic.Int64 // the longest time between pieces of the body
	fired  atomic.Bool
}

// watched starts a try, which ends if no header arrives in time. The caller must call end, or close the body that
// guard returns.
func watched(ctx context.Context, header time.Duration) *watchdog {
	w := &watchdog{}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(header, func() {
		w.fired.Store(true)
		w.cancel()
	})
	return w
}

// atMost shortens the time allowed between pieces of the body, from now on.
func (w *watchdog) atMost(d time.Duration) {
	d = min(d, time.Duration(w.after.Load()))
	w.after.Store(int64(d))
	w.timer.Reset(d)
}

func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel()
}

// explain returns errSilent if the watchdog caused err, else err.
func (w *watchdog) explain(err error) error {
	if err != nil && w.fired.Load() {
		return errSilent
	}
	return err
}

// guard watches a body: each piece must arrive within the given time after the one before.
func (w *watchdog) guard(body io.ReadCloser, piece time.Duration) io.ReadCloser {
	w.after.Store(int64(piece))
	return &watchedBody{ReadCloser: body, watch: w}
}

type watchedBody struct {
	io.ReadCloser
	watch *watchdog
}

func (g *watchedBody) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.watch.timer.Reset(time.Duration(g.watch.after.Load()))
	if !errors.Is(err, io.EOF) {
		err = g.watch.explain(err)
	}
	return n, err
}

func (g *watchedBody) Close() error {
	err := g.ReadCloser.Close()
	g.watch.end()
	return err
}
