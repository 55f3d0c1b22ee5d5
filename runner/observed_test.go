package runner_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestObservedAndReadAreTracedAlike: an answer's values have the same sources in what a session collects while it
// runs as in what is read from its log later, even after questions were undone.
func TestObservedAndReadAreTracedAlike(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{
		"count": {fence(countErrors), fence(`FINAL(fmt.Sprint("cart ", n["cart"], ", mail 17"))`)},
		"call": {
			fence(`rs := llm_query_batched([]string{"Who? " + context[:3000], "Who?"})` + "\nfmt.Println(rs)"),
			fence(`FINAL(rs[0] + " " + fmt.Sprint(n))`),
		},
		"fail": {
			fence("k := 742\nfmt.Println(k + strings.Count(context, \"cart\"))\npanic(k)"),
			fence(`fmt.Println(strings.Index(context, "ERROR"))`), fence(`FINAL("745 errors, the first at 40000 of cart")`),
		},
		"undone": {fence(`fmt.Println(90000 + strings.Count(context, "INFO"))`), fence(`FINAL("92000 lines")`)},
		"after":  {fence(`fmt.Println(n)`), fence(`FINAL("92000 lines, cart 3")`)},
		"stop":   {fence(`fmt.Println(n["mail"], own)` + "\nhold()"), fence(`FINAL("mail 1, own 4711, cart 3")`)},
	}
	at := map[string]int{}
	var question string
	model := llm.ScriptedFunc("scripted", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell > 0 {
			return llm.Response{Content: "The keeper is Ada Lund."}, nil
		}
		replies := answers[question]
		n := at[question]
		at[question] = min(n+1, len(replies)-1)
		return llm.Response{Content: replies[n]}, nil
	})
	stop, held := func() {}, false
	r := newRunner(t, model, runner.WithTool("hold", "Waits to be stopped.", func(ctx context.Context) error {
		if held {
			return nil
		}
		held = true
		stop()
		<-ctx.Done()
		return ctx.Err()
	}))
	s, err := r.NewSession(timeout(t), runner.Text("app.log", errorLog))
	require.NoError(t, err)
	same := func(observed *trajectory.Grounding) {
		t.Helper()
		require.NotNil(t, observed)
		require.NotEmpty(t, observed.Values)
		read, err := r.Verify(timeout(t), s.ID())
		require.NoError(t, err)
		require.Equal(t, observed, read.Grounding)
	}
	ask := func(q string) {
		t.Helper()
		question, at[q] = q, 0
		res, err := s.Answer(timeout(t), q)
		require.NoError(t, err)
		same(res.Grounding)
	}
	ask("count")
	ask("call")
	_, err = s.Exec(timeout(t), "own := 4711\nfmt.Println(own)")
	require.NoError(t, err)
	ask("fail")
	ask("undone")
	require.NoError(t, s.Undo(timeout(t)))
	ask("after")

	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	stop, question = cancel, "stop"
	_, err = s.Answer(ctx, question)
	require.Error(t, err)
	require.NoError(t, s.Close())
	s, err = r.OpenSession(timeout(t), s.ID())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	var end trajectory.RunEnded
	for ev, err := range s.Resume(timeout(t)) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.RunEnded); ok {
			end = d
		}
	}
	require.Contains(t, fmt.Sprint(end.Answer), "own 4711")
	same(end.Grounding)
	ask("call")
}
