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

// subcall is a call that a cell made, while the call is in flight.
type subcall struct {
	*run
	turn  int // turn that made the call, which may outlive its cell
	key   journal.Key
	call  sandbox.Call
	began time.Time
}

// modelCall is a call to a model while it is in flight: for a turn, or for a cell's sub-call, which may outlive its
// turn.
type modelCall struct {
	*run
	turn  int
	cell  int // cell that made the sub-call; 0 for a turn
	asked string
}

// refused records that the budget did not allow a call, so that a replay of the cell gets the same reply.
func (s *subcall) refused(start trajectory.SubCallStarted, lim *budget.Limit) sandbox.Reply {
	if err := s.open(start); err != nil {
		return unwound(err)
	}
	return s.close(sandbox.Reply{Error: lim.Error(), Unwind: true}, trajectory.SubCallEnded{})
}

// refuse records a call that was not made because it makes no sense, so that a replay of the cell gets the same
// reply. Only the beginning of its prompt is recorded: the prompt may be too long for any model.
func (s *subcall) refuse(why string) sandbox.Reply {
	start := trajectory.SubCallStarted{
		Impl: s.call.Impl, Prompt: trajectory.T(text.Line(string(s.call.Body), refusedShown)),
	}
	if err := s.open(start); err != nil {
		return unwound(err)
	}
	return s.close(sandbox.Reply{Error: why}, trajectory.SubCallEnded{})
}

// refusedShown is how many bytes of the prompt of a refused call are recorded.
const refusedShown = 1000

// open records that the call is about to be made. A call that was in flight when the run was interrupted is in the
// log already.
func (s *subcall) open(d trajectory.SubCallStarted) error { return s.begun(d, false) }

// openDurably is like open, for a call that may change something outside: its record is on disk before the call is
// made.
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

// unwound is a reply that ends the cell without a record: the run was cancelled or its log cannot be written.
func unwound(err error) sandbox.Reply { return sandbox.Reply{Error: err.Error(), Unwind: true} }

// callError words a failed call for the model whose cell made it, and returns the kind of the failure.
func callError(err error) (text, kind string) {
	var call *llm.Error
	if errors.As(err, &call) {
		return fmt.Sprintf("%s (%s)", call.Error(), call.Kind), string(call.Kind)
	}
	return err.Error(), ""
}

// interrupted answers a call that was in flight when the program was killed.
func (s *subcall) interrupted(name string) sandbox.Reply {
	return s.close(sandbox.Reply{
		Error: "the program stopped while this call was under way, and nobody knows whether it took effect; it was not made again: " +
			"find out first, then call " + name + " in another way if it is still needed",
	}, trajectory.SubCallEnded{})
}
