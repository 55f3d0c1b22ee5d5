package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Fallback is a model with others that answer in its place when it has no quota left or cannot be reached. It is safe
// for concurrent use.
type Fallback struct {
	models []Model

	mu    sync.Mutex
	until []time.Time // when each model is asked again
}

// passedOver is how long a model that failed so is not asked again: a thousand sub-calls must not each wait for all the
// tries of an endpoint that is down.
const passedOver = time.Minute

// NewFallback makes a model that is first, and each of the rest in order after those before it failed.
func NewFallback(first Model, rest ...Model) *Fallback {
	models := append([]Model{first}, rest...)
	return &Fallback{models: models, until: make([]time.Time, len(models))}
}

// Name is the name of the first model.
func (f *Fallback) Name() string { return f.models[0].Name() }

// Facts is what is known of the first model.
func (f *Fallback) Facts() Facts { return FactsOf(f.models[0]) }

// Models are the model and its fallbacks, in order.
func (f *Fallback) Models() []Model { return append([]Model(nil), f.models...) }

// Generate asks the first model that has not failed of late, then those behind it. What on hears says when another
// model takes over, and the response which one answered. The error is that of the last model that was asked.
func (f *Fallback) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	if on == nil {
		on = func(Delta) {}
	}
	i, began := f.start(), false
	for {
		resp, err := f.models[i].Generate(ctx, req, func(d Delta) {
			if began && d.Retry == nil { // another model's pieces were handed over
				d.Restart, began = true, false
			}
			on(d)
		})
		if err == nil {
			if i > 0 {
				resp.By = f.models[i].Name()
			}
			return resp, nil
		}
		kind, passing := outage(err)
		if !passing || ctx.Err() != nil {
			return resp, err
		}
		f.passOver(i)
		if i+1 == len(f.models) {
			return resp, err
		}
		on(Delta{Fallback: &Switch{From: f.models[i].Name(), To: f.models[i+1].Name(), Reason: kind}})
		i, began = i+1, true
	}
}

// start is the first model that has not failed of late; the first of all if each has.
func (f *Fallback) start() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for i, until := range f.until {
		if !now.Before(until) {
			return i
		}
	}
	return 0
}

func (f *Fallback) passOver(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[i] = time.Now().Add(passedOver)
}

// outage reports whether a failure is one that another endpoint would not have.
func outage(err error) (ErrorKind, bool) {
	var call *Error
	if !errors.As(err, &call) {
		return "", false
	}
	switch call.Kind {
	case ErrQuota, ErrRateLimit, ErrUnavailable, ErrNoReply:
		return call.Kind, true
	}
	return call.Kind, false
}
