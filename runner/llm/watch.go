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

// watch ends a try of which nothing is heard: at first for as long as a header may take, then for as long
// as a body may stand still.
type watch struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	after  atomic.Int64 // the time that may pass after each piece of the body
	fired  atomic.Bool
}

// watched begins a try. end must be called, or the body be closed that guard returns.
func watched(ctx context.Context, header time.Duration) *watch {
	w := &watch{}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(header, func() {
		w.fired.Store(true)
		w.cancel()
	})
	return w
}

// stop lets the rest of the try take the time it takes.
func (w *watch) stop() {
	w.after.Store(0)
	w.timer.Stop()
}

func (w *watch) end() {
	w.timer.Stop()
	w.cancel()
}

// explain is errSilent if that is why err came.
func (w *watch) explain(err error) error {
	if err != nil && w.fired.Load() {
		return errSilent
	}
	return err
}

// guard watches over a body: from its first byte on, each piece must come within a time.
func (w *watch) guard(body io.ReadCloser, piece time.Duration) io.ReadCloser {
	w.after.Store(int64(piece))
	return &guarded{ReadCloser: body, watch: w}
}

type guarded struct {
	io.ReadCloser
	watch *watch
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	if after := time.Duration(g.watch.after.Load()); n > 0 && after > 0 && !g.watch.fired.Load() {
		g.watch.timer.Reset(after)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = g.watch.explain(err)
	}
	return n, err
}

func (g *guarded) Close() error {
	err := g.ReadCloser.Close()
	g.watch.end()
	return err
}
