package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/internal/tool"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// tool answers a call of a tool. A call that was in flight when the program was killed may have taken effect: it
// is repeated only if the tool is declared repeatable.
func (s *subcall) tool(ctx context.Context) sandbox.Reply {
	i := slices.IndexFunc(s.cfg.tools, func(t tool.Tool) bool { return t.Spec.Name == s.call.Tool && t.At(s.depth) })
	switch {
	case i < 0 && s.call.Tool == recordedCalls:
		return s.recordedCalls()
	case i < 0:
		if reply, ok := s.outside(ctx); ok {
			return reply
		}
		return s.refuse(fmt.Sprintf("there is no tool %q here", s.call.Tool))
	}
	t := s.cfg.tools[i]
	if s.journal.Begun(s.key) && !t.Repeatable {
		return s.interrupted(t.Spec.Name)
	}
	if err := s.openDurably(trajectory.SubCallStarted{
		Impl: builtins.ImplTool, Prompt: trajectory.T(string(s.call.Body)),
	}); err != nil {
		return unwound(err)
	}
	body, err := t.Call(ctx, s.call.Body)
	if ctx.Err() != nil {
		return unwound(cause(ctx, ctx.Err()))
	}
	if err != nil {
		return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{})
	}
	_ = s.lease.Record(int64(len(body)))
	return s.close(sandbox.Reply{Body: body}, trajectory.SubCallEnded{})
}
