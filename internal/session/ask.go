package session

import (
	"context"
	"strings"

	"github.com/gorlm/rlm/runner"
)

// AskRequest asks a question. Its choice also applies to later questions.
type AskRequest struct {
	Question string `json:"question"`
	Choice
}

// CellRequest runs a person's cell.
type CellRequest struct {
	Source   string `json:"source"`
	Replaces int    `json:"replaces,omitempty"` // the person's earlier cell that this edited version replaces
}

// ReviewRequest approves or rejects an answer that waits for a review. A rejection needs a note.
type ReviewRequest struct {
	Approved bool   `json:"approved"`
	Note     string `json:"note,omitempty"`
}

func ask(ctx context.Context, c *Call, in AskRequest) (work, error) {
	c.room = new(int64)
	if strings.TrimSpace(in.Question) == "" {
		return nil, badRequest("the question is empty")
	}
	return func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Ask(ctx, in.Question))
	}, c.choose(ctx, in.Choice)
}

func runCell(_ context.Context, c *Call, in CellRequest) (work, error) {
	c.room = new(int64)
	if strings.TrimSpace(in.Source) == "" {
		return nil, badRequest("the cell is empty")
	}
	return c.manager.CellWithin(c.Who, func(ctx context.Context, rs *runner.Session) (err error) {
		if in.Replaces != 0 {
			_, err = rs.Edit(ctx, in.Replaces, in.Source)
		} else {
			_, err = rs.Exec(ctx, in.Source)
		}
		return err
	}), nil
}

func stop(_ context.Context, c *Call, _ struct{}) (struct{}, error) {
	c.live.Stop()
	return struct{}{}, nil
}

func undo(context.Context, *Call, struct{}) (work, error) {
	return func(ctx context.Context, rs *runner.Session) error { return rs.Undo(ctx) }, nil
}

func resume(ctx context.Context, c *Call, in Choice) (work, error) {
	return func(ctx context.Context, rs *runner.Session) error { return toTheEnd(rs.Resume(ctx)) }, c.choose(ctx, in)
}

func review(_ context.Context, c *Call, in ReviewRequest) (work, error) {
	c.run = !in.Approved
	return func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Review(ctx, in.Approved, in.Note))
	}, nil
}
