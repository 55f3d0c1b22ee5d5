package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tellEvery is how often a client hears what a call is about: many give up after a minute of silence.
const tellEvery = 5 * time.Second

// activity tells a client that asked for progress what its call is about.
type activity struct {
	ctx   context.Context
	req   *sdk.CallToolRequest
	began time.Time

	mu    sync.Mutex
	text  string
	state func() string // what it waits for; empty if for nothing
	steps float64
	last  time.Time
}

type activityKey struct{}

// activityOf is what the call of a context is about; nil where nobody hears it.
func activityOf(ctx context.Context) *activity {
	a, _ := ctx.Value(activityKey{}).(*activity)
	return a
}

// lively tells the clients of all tools now and then that their calls go on.
func lively(every time.Duration) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			call, ok := req.(*sdk.CallToolRequest)
			if !ok || call.Params.GetProgressToken() == nil {
				return next(ctx, method, req)
			}
			a := &activity{ctx: ctx, req: call, began: time.Now(), text: call.Params.Name}
			ctx, end := context.WithCancel(context.WithValue(ctx, activityKey{}, a))
			var beats sync.WaitGroup
			defer beats.Wait()
			defer end()
			beats.Go(func() { a.beat(ctx, every) })
			return next(ctx, method, req)
		}
	}
}

func (a *activity) beat(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			a.mu.Lock()
			a.tell(", " + time.Since(a.began).Round(time.Second).String())
			a.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// waits names what the call may wait for.
func (a *activity) waits(state func() string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = state
}

// note keeps what the call is about for the next time that the client hears of it.
func (a *activity) note(text string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
}

// say tells what the call is about now; what comes often is told now and then.
func (a *activity) say(text string, often bool) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
	if !often || time.Since(a.last) >= 200*time.Millisecond {
		a.tell("")
	}
}

// tell sends what the call is about, and since when. The caller holds mu.
func (a *activity) tell(since string) {
	text := a.text
	if a.state != nil {
		if waits := a.state(); waits != "" {
			text = waits
		}
	}
	a.last = time.Now()
	a.steps++
	_ = a.req.Session.NotifyProgress(a.ctx, &sdk.ProgressNotificationParams{ // a client that is gone cancels
		ProgressToken: a.req.Params.GetProgressToken(), Progress: a.steps, Message: text + since,
	})
}
