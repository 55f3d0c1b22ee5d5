package runner

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// subcall is one call of a cell on its way.
type subcall struct {
	*run
	turn  int // in which it was made; it may outlive its cell
	key   journal.Key
	call  sandbox.Call
	began time.Time
}

// modelCall is one call of a model on its way: a turn, or the sub-call of a cell, which may outlive its turn.
type modelCall struct {
	*run
	turn  int
	cell  int // whose sub-call it is; 0 for a turn
	asked string
}

// refused records that the budget did not allow a call: a replay of the cell must find the same.
func (s *subcall) refused(start trajectory.SubCallStarted, lim *budget.Limit) sandbox.Reply {
	if err := s.open(start); err != nil {
		return unwound(err)
	}
	return s.close(sandbox.Reply{Error: lim.Error(), Unwind: true}, trajectory.SubCallEnded{})
}

// refuse records that a call makes no sense and was not made: a replay of the cell must find the same. Of its prompt the beginning is
// recorded, as it may be too long for any model.
func (s *subcall) refuse(why string) sandbox.Reply {
	start := trajectory.SubCallStarted{Impl: s.call.Impl, Prompt: trajectory.T(text.Line(string(s.call.Body), refusedShown))}
	if err := s.open(start); err != nil {
		return unwound(err)
	}
	return s.close(sandbox.Reply{Error: why}, trajectory.SubCallEnded{})
}

// refusedShown is how many bytes are recorded of a prompt that was not asked.
const refusedShown = 1000

// open records that the call is about to be made. A call that was under way when the run was interrupted is in the log
// already.
func (s *subcall) open(d trajectory.SubCallStarted) error { return s.begun(d, false) }

// openDurably is open for a call that may take effect outside: it is on disk before it is made.
func (s *subcall) openDurably(d trajectory.SubCallStarted) error { return s.begun(d, true) }

func (s *subcall) begun(d trajectory.SubCallStarted, durable bool) error {
	s.began = time.Now()
	d.Cell, d.Hash, d.N, d.Tool = s.key.Cell, s.key.Hash, s.key.N, s.call.Tool
	d.Batch, d.Index, d.Size = s.call.Batch.ID, s.call.Batch.Index, s.call.Batch.Size
	return s.journal.Open(s.key, s.turn, d, s.call, durable)
}

// close records a reply and returns it once it is durable.
func (s *subcall) close(rep sandbox.Reply, d trajectory.SubCallEnded) sandbox.Reply {
	d.Cell, d.Hash, d.N = s.key.Cell, s.key.Hash, s.key.N
	d.Reply, d.Error, d.Unwind = trajectory.T(string(rep.Body)), rep.Error, rep.Unwind
	if d.Duration == 0 && !s.began.IsZero() {
		d.Duration = time.Since(s.began)
	}
	place, err := s.journal.Close(s.key, s.turn, d)
	if err != nil {
		return unwound(err)
	}
	rep.Order = place
	return rep
}

// unwound ends the cell without a record: the run is cancelled or its log cannot be written.
func unwound(err error) sandbox.Reply { return sandbox.Reply{Error: err.Error(), Unwind: true} }

// callError is a failed call in words for the model that asked for it, and its kind.
func callError(err error) (text, kind string) {
	var call *llm.Error
	if errors.As(err, &call) {
		return fmt.Sprintf("%s (%s)", call.Error(), call.Kind), string(call.Kind)
	}
	return err.Error(), ""
}

// interrupted answers a call that was under way when the program was killed.
func (s *subcall) interrupted(name string) sandbox.Reply {
	return s.close(sandbox.Reply{Error: "the program stopped while this call was under way, and nobody knows whether it took effect; it was not made again: " +
		"find out first, then call " + name + " in another way if it is still needed"}, trajectory.SubCallEnded{})
}
