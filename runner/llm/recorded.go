package llm

import (
	"context"
	"fmt"
	"time"
)

// Recorded answers from a recording, so that nothing is paid for twice and a replay needs no model at all.
// It is safe for concurrent use if Lookup is.
type Recorded struct {
	// ModelName is what Name returns.
	ModelName string
	// Lookup finds the reply recorded under a key. A failed call may be recorded as well.
	Lookup func(Key) (Response, error, bool)
	// Live answers what is not recorded; nil: such a call fails with ErrNotRecorded.
	Live Model
}

// NewRecorded answers from a map of replies; live (may be nil) answers the rest.
func NewRecorded(name string, replies map[Key]Response, live Model) *Recorded {
	return &Recorded{ModelName: name, Live: live, Lookup: func(k Key) (Response, error, bool) {
		resp, ok := replies[k]
		return resp, nil, ok
	}}
}

// Name is the name of the model that was recorded.
func (r *Recorded) Name() string { return r.ModelName }

// Generate answers from the recording, else from the live model.
func (r *Recorded) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, cancelled(err)
	}
	start := time.Now()
	resp, err, ok := r.Lookup(req.Key)
	switch {
	case ok && err != nil:
		return Response{}, err
	case ok:
		complete(&resp, r.ModelName, req, time.Since(start))
		streamWhole(resp, on)
		return resp, nil
	case r.Live != nil:
		return r.Live.Generate(ctx, req, on)
	default:
		return Response{}, &Error{Kind: ErrNotRecorded, Message: notRecorded(req.Key)}
	}
}

func notRecorded(k Key) string {
	where := "a turn of the run"
	if k.Cell > 0 {
		where = fmt.Sprintf("a sub-call of cell %d", k.Cell)
	}
	if k.Path != "" {
		where += " of child run " + k.Path
	}
	return fmt.Sprintf("%s is not in the recording: the run took another course than the recorded one", where)
}
