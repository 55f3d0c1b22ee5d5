package llm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Fallback is a model with others that replace it when its quota is used up or it cannot be reached. It is safe for
// concurrent use.
type Fallback struct {
	models []Model

	mu    sync.Mutex
	until []time.Time // when each model may be asked again
}

// passedOver is how long a model is skipped after an outage: a thousand sub-calls must not each wait for all the
// retries of an endpoint that is down.
const passedOver = time.Minute

// NewFallback makes a model that asks the model first and, whenever that fails, those of rest in their order.
func NewFallback(first Model, rest ...Model) *Fallback {
	models := append([]Model{first}, rest...)
	return &Fallback{models: models, until: make([]time.Time, len(models))}
}

// Name is the name of the first model.
func (f *Fallback) Name() string { return f.models[0].Name() }

// Facts returns the known facts of the first model.
func (f *Fallback) Facts() Facts { return FactsOf(f.models[0]) }

// Models returns the model and its fallbacks, in order.
func (f *Fallback) Models() []Model { return append([]Model(nil), f.models...) }

// Generate asks the first model that has not failed recently, then those after it. A Delta announces when another
// model takes over, and the response names the one that answered. The error is that of the last model asked.
func (f *Fallback) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	var lost Waste // of failed models, if on is nil
	if on == nil {
		on = func(d Delta) {
			lost.more(d.Waste)
			if d.Fallback != nil {
				lost.more(d.Fallback.Waste)
			}
		}
	}
	i, began := f.start(), false
	for {
		resp, err := f.models[i].Generate(ctx, req, func(d Delta) {
			if began && d.Retry == nil { // discard the pieces of the model before
				d.Restart, began = true, false
			}
			on(d)
		})
		if err == nil {
			if i > 0 {
				resp.By = f.models[i].Name()
			}
			resp.Waste.more(lost)
			resp.Usage.Wasted += lost.tokens()
			return resp, nil
		}
		call, isCall := errors.AsType[*Error](err)
		if isCall && i > 0 {
			call.By = f.models[i].Name()
		}
		kind, passing := outage(err)
		last := i+1 == len(f.models)
		if isCall && (last || !passing || ctx.Err() != nil) {
			call.Waste.more(lost)
		}
		if !passing || ctx.Err() != nil {
			return resp, err
		}
		f.mu.Lock()
		f.until[i] = time.Now().Add(passedOver)
		f.mu.Unlock()
		if last {
			return resp, err
		}
		to := &ModelSwitch{From: f.models[i].Name(), To: f.models[i+1].Name(), Reason: kind}
		if isCall {
			to.Waste = call.Waste
		}
		on(Delta{Fallback: to})
		i, began = i+1, true
	}
}

// start returns the first model that has not failed recently, or the first of all if each has.
func (f *Fallback) start() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	return max(0, slices.IndexFunc(f.until, func(until time.Time) bool { return !now.Before(until) }))
}

// outage reports whether a failure is one that another endpoint may not have.
func outage(err error) (ErrorKind, bool) {
	call, ok := errors.AsType[*Error](err)
	if !ok {
		return "", false
	}
	return call.Kind, slices.Contains(
		[]ErrorKind{ErrQuota, ErrRateLimit, ErrUnavailable, ErrNoReply, ErrThoughtsOnly}, call.Kind)
}
