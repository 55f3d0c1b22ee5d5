package llm

import (
	"context"
	"fmt"
	"time"
)

// Recorded answers from replies that were recorded, so that nothing is paid for twice and a replay needs no model at
// all. It is safe for concurrent use.
type Recorded struct {
	name    string
	replies map[Key]Response
	live    Model
}

// NewRecorded answers from replies, which must not change meanwhile. live answers the rest; without it (nil) such a call
// fails with ErrNotRecorded.
func NewRecorded(name string, replies map[Key]Response, live Model) *Recorded {
	return &Recorded{name: name, replies: replies, live: live}
}

// Name is the name of the model that was recorded.
func (r *Recorded) Name() string { return r.name }

// Generate answers from the recording, else from the live model.
func (r *Recorded) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, cancelled(err)
	}
	start := time.Now()
	resp, ok := r.replies[req.Key]
	switch {
	case ok:
		complete(&resp, r.name, req, time.Since(start))
		streamWhole(resp, on)
		return resp, nil
	case r.live != nil:
		return r.live.Generate(ctx, req, on)
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
