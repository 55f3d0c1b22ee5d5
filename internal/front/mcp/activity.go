package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tellEvery is the default interval of progress messages about a call: many clients give up after a minute of
// silence.
const tellEvery = 5 * time.Second

// activity sends progress of a tool call to a client that asked for it.
type activity struct {
	ctx   context.Context
	req   *sdk.CallToolRequest
	began time.Time

	mu    sync.Mutex
	text  string
	state func() string // what the call is waiting for; "" if nothing
	steps float64
	last  time.Time
}

type activityKey struct{}

// activityOf returns the activity of a call's context; nil if the client did not ask for progress.
func activityOf(ctx context.Context) *activity {
	a, _ := ctx.Value(activityKey{}).(*activity)
	return a
}

// lively sends regular progress of tool calls, so that clients know that the calls are still in progress.
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

// waits sets a function that reports what the call is waiting for.
func (a *activity) waits(state func() string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = state
}

// note sets the text of the next progress message.
func (a *activity) note(text string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text = text
}

// say sends a new text. If texts come often, most of them are skipped.
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

// tell sends the current text with since appended. The caller holds mu.
func (a *activity) tell(since string) {
	text := a.text
	if a.state != nil {
		if waits := a.state(); waits != "" {
			text = waits
		}
	}
	a.last = time.Now()
	a.steps++
	_ = a.req.Session.NotifyProgress(a.ctx, &sdk.ProgressNotificationParams{ // a call without a client is cancelled
		ProgressToken: a.req.Params.GetProgressToken(), Progress: a.steps, Message: text + since,
	})
}
