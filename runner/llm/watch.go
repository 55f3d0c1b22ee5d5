package llm

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errSilent is a request that nothing came back for in time.
var errSilent = errors.New("nothing came back in time")

// watchdog ends a try of which nothing is heard: at first for as long as a header may take, then for as long
// as a body may stand still.
type watchdog struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	after  atomic.Int64 // the time that may pass after each piece of the body
	fired  atomic.Bool
}

// watched begins a try. end must be called, or the body be closed that guard returns.
func watched(ctx context.Context, header time.Duration) *watchdog {
	w := &watchdog{}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(header, func() {
		w.fired.Store(true)
		w.cancel()
	})
	return w
}

// atMost shortens the time that may pass after each piece of the body, from now on.
func (w *watchdog) atMost(d time.Duration) {
	d = min(d, time.Duration(w.after.Load()))
	w.after.Store(int64(d))
	w.timer.Reset(d)
}

func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel()
}

// explain is errSilent if that is why err came.
func (w *watchdog) explain(err error) error {
	if err != nil && w.fired.Load() {
		return errSilent
	}
	return err
}

// guard watches over a body: from its first byte on, each piece must come within a time.
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
