package llm

import (
	"context"
	"fmt"
	"time"
)

// RecordedModel answers from recorded replies, so that nothing is paid for twice and a replay needs no model. It
// is safe for concurrent use.
type RecordedModel struct {
	name    string
	replies map[Key]Response
	live    Model
}

// NewRecorded makes a model that answers from replies, which must not change afterwards. live answers the rest; if
// it is nil, other calls fail with ErrNotRecorded.
func NewRecorded(name string, replies map[Key]Response, live Model) *RecordedModel {
	return &RecordedModel{name: name, replies: replies, live: live}
}

// Name is the name of the recorded model.
func (r *RecordedModel) Name() string { return r.name }

// Generate answers from the recording, else from the live model.
func (r *RecordedModel) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, cancelled(err)
	}
	start := time.Now()
	if resp, ok := r.replies[req.Key]; ok {
		complete(&resp, r.name, req, time.Since(start))
		streamWhole(resp, on)
		return resp, nil
	}
	if r.live != nil {
		return r.live.Generate(ctx, req, on)
	}
	return Response{}, &Error{Kind: ErrNotRecorded, Message: notRecorded(req.Key)}
}

func notRecorded(k Key) string {
	where := "a turn of the run"
	if k.Cell > 0 {
		where = fmt.Sprintf("a sub-call of cell %d", k.Cell)
	}
	if k.Path != "" {
		where += " of child run " + k.Path
	}
	return fmt.Sprintf("%s is not in the recording: this run took a different course than the recorded one", where)
}
