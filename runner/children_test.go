package runner_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// family answers a run's turns and those of its child runs from lists, whose last reply is repeated. Replies of
// sub-calls are cut.
func family(parent, child []llm.Response) *llm.ScriptedModel {
	return llm.ScriptedFunc("family", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "cart 3 times, and", FinishReason: "length"}, nil
		}
		replies, turn := parent, 0
		if req.Key.Path != "" {
			replies = child
		}
		for _, m := range req.Messages {
			if m.Role == llm.Assistant {
				turn++
			}
		}
		return replies[min(turn, len(replies)-1)], nil
	})
}

// TestAParentDoesNotGroundWhatItsChildMadeUp: an answer that a child run invents, or whose replies broke off, is marked
// when its parent passes it on. One that the child found is not.
func TestAParentDoesNotGroundWhatItsChildMadeUp(t *testing.T) {
	t.Parallel()
	look := llm.Response{Content: fence(countErrors)}
	for name, c := range map[string]struct {
		child   []llm.Response
		verdict string
		cut     int // incomplete replies
	}{
		"found":    {[]llm.Response{look, {Content: fence(`FINAL("cart 3")`)}}, "grounded", 0},
		"computed": {[]llm.Response{{Content: fence(countErrors + "\nFINAL(n)")}}, "grounded", 0},
		"made up":  {[]llm.Response{look, {Content: fence(`FINAL("billing 4711")`)}}, "not", 0},
		"unseen":   {[]llm.Response{{Content: fence(`FINAL("billing 4711")`)}}, "not", 0},
		"cut":      {[]llm.Response{{Content: fence(`FINAL(llm_query("Which fails? " + context[:99]))`)}}, "grounded", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := family([]llm.Response{
				{Content: fence(`r := rlm_query("Which service fails most?", context)` + "\nFINAL(r)")},
			}, c.child)
			r := newRunner(t, model)
			res, err := r.Answer(timeout(t), "Which one has the most errors?", runner.Text("app.log", errorLog))
			require.NoError(t, err)
			require.Equal(t, c.verdict, res.Grounding.Verdict, "%s: %+v", res.Answer, res.Grounding.Values)
			require.Equal(t, c.cut, res.CutReplies)
			v, err := r.Verify(timeout(t), res.RunID)
			require.NoError(t, err)
			require.Equal(t, res.Grounding, v.Grounding, "the log tells the same")
		})
	}
}

// TestAnOpenedSessionMarksWhatAChildMadeUp: what was shown before a session was opened again comes from its log.
func TestAnOpenedSessionMarksWhatAChildMadeUp(t *testing.T) {
	t.Parallel()
	model := family([]llm.Response{
		{Content: fence(`r := rlm_query("Which service fails most?", context)` + "\nFINAL(r)")},
	}, []llm.Response{{Content: fence(countErrors)}, {Content: fence(`FINAL("billing 4711")`)}})
	r := newRunner(t, model)
	first, err := r.Answer(timeout(t), "Which one has the most errors?", runner.Text("app.log", errorLog))
	require.NoError(t, err)
	session, err := r.OpenSession(timeout(t), first.RunID)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	var end trajectory.RunEnded
	for ev, err := range session.Ask(timeout(t), "And which one has the most errors now?") {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
			end = d
		}
	}
	require.Equal(t, "billing 4711", end.Answer)
	require.Equal(t, "not", end.Grounding.Verdict)
}
