package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/tool"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// outside answers a call of a tool of another program. ok is false if there is no such tool.
func (s *subcall) outside(ctx context.Context) (rep sandbox.Reply, ok bool) {
	i := slices.IndexFunc(s.cfg.Tools, func(o tool.Outside) bool { return o.Spec.Name == s.call.Tool && s.depth == 0 })
	if i < 0 {
		return rep, false
	}
	o := s.cfg.Tools[i]
	live, ok := s.cfg.outside[outsideKey{o.Server, o.Tool}]
	switch {
	case !ok:
		return s.refuse(fmt.Sprintf(
			"the MCP server %s was not started with this program, or has no tool %s any more: the call was not made",
			o.Server, o.Tool)), true
	case s.journal.Begun(s.key) && !live.Repeatable:
		return s.interrupted(o.Spec.Name), true
	}
	args, err := o.Arguments(s.call.Body)
	if err == nil {
		args, err = tool.Check(live.Input, args)
	}
	if err != nil {
		return s.refuse(fmt.Sprintf("%v: the call was not made", err)), true
	}
	if err := s.openDurably(trajectory.SubCallStarted{
		Impl: builtins.ImplTool, Server: o.Server, Prompt: trajectory.T(string(s.call.Body)),
	}); err != nil {
		return unwound(err), true
	}
	result, err := callback.Call(
		ctx, "the tool", func() (OutsideResult, error) { return live.Call(ctx, args, s.cfg.textOf) })
	if ctx.Err() != nil {
		return unwound(cause(ctx, ctx.Err())), true
	}
	var body []byte
	if err == nil {
		body, err = o.Results(live.Output, result.Value, result.Beside)
	}
	if err != nil {
		return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{}), true
	}
	_ = s.lease.Record(int64(len(body)))
	return s.close(sandbox.Reply{Body: body}, trajectory.SubCallEnded{}), true
}
