package session

import (
	"context"
	"math"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// ForkRequest selects what the copy of a session contains, and the choice for the run that continues in it.
type ForkRequest struct {
	Run  int  `json:"run,omitempty"`  // the question, from 1; 0: the last
	Turn *int `json:"turn,omitempty"` // the last turn to keep; nil: everything is kept and no run continues
	Choice
}

// VerifyResult is the present state of an answer's evidence.
type VerifyResult struct {
	RunID        string           `json:"run_id"`
	Question     string           `json:"question"`
	Passages     []runner.Passage `json:"passages"`
	UnknownMarks []string         `json:"unknown_marks,omitempty"`
	Unverified   []string         `json:"unverified,omitempty"`
	Unsupported  string           `json:"unsupported,omitempty"`
	Holds        bool             `json:"holds"`
	// Changed lists the documents that have changed since they were read.
	Changed []ChangedDocument `json:"changed,omitempty"`
	// Grounding is what the answer rests on, traced again.
	Grounding *trajectory.Grounding `json:"grounding,omitempty"`
}

// ChangedDocument is a document whose file is no longer as it was when it was read.
type ChangedDocument struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"` // in bytes of the context
	Size     int64  `json:"size"`   // when it was read
	Encoding string `json:"encoding,omitempty"`
	State    string `json:"state"` // grown, changed, gone
}

// fork copies a session. Later changes of one do not affect the other.
func fork(ctx context.Context, c *Call, in ForkRequest) (Summary, error) {
	if in.Turn != nil {
		if err := c.manager.CanAsk(in.Choice); err != nil && !c.live.named.Load() {
			return Summary{}, err
		}
	}
	opts, err := c.manager.options(ctx, in.Choice)
	if err != nil {
		return Summary{}, err
	}
	made, again, err := c.made(func() (*Session, error) { return c.forked(ctx, in, opts) })
	if err == nil && in.Turn != nil {
		err = c.goOnAt(ctx, made, again)
	}
	if err != nil {
		return Summary{}, err
	}
	return c.manager.Summary(made)
}

// goOnAt continues the run of a fork. If again is set, an earlier request made the fork: its run may already
// continue, or may have ended or been cut off.
func (c *Call) goOnAt(ctx context.Context, l *Session, again bool) error {
	if again {
		_, spent, _, err := l.History().Tallies(0)
		if err != nil || spent.Ended {
			return err
		}
	}
	c.run = true
	_, err := c.begin(ctx, l, "resume", goOn)
	if again && Is(err, Busy) {
		return nil
	}
	return err
}

func (c *Call) forked(ctx context.Context, in ForkRequest, opts []runner.Option) (*Session, error) {
	// Only the owner may see what files contain later, so the text of another's fork is a copy, however long it is.
	if !c.Who.Owner {
		opts = append(opts, runner.WithKeptContext(math.MaxInt64))
		err := c.live.Look(ctx, func(rs *runner.Session) error {
			return c.manager.RoomFor(c.Who, rs.Context().Size())
		})
		if err != nil {
			return nil, err
		}
	}
	if in.Turn != nil {
		fork, err := c.manager.cfg.Runner.ForkAt(ctx, c.live.ID(), in.Run, *in.Turn, opts...)
		if err != nil {
			return nil, err
		}
		return c.manager.Take(fork)
	}
	var made *Session
	err := c.live.With(ctx, c.actor(), "fork", func(ctx context.Context, rs *runner.Session) error {
		fork, err := rs.Fork(ctx, opts...)
		if err != nil {
			return err
		}
		made, err = c.manager.Take(fork)
		return err
	})
	return made, err
}

func verify(ctx context.Context, c *Call, _ struct{}) (VerifyResult, error) {
	v, err := c.manager.cfg.Runner.Verify(ctx, c.live.ID())
	if err != nil {
		return VerifyResult{}, err
	}
	var changed []ChangedDocument
	for _, d := range v.Changed {
		changed = append(changed, ChangedDocument{d.Name, d.Offset, d.Size, d.Encoding, string(d.State)})
	}
	return VerifyResult{
		v.RunID, v.Question, append([]runner.Passage{}, v.Passages...), v.UnknownMarks, v.Unverified,
		v.Unsupported, v.Holds(), changed, v.Grounding,
	}, nil
}
