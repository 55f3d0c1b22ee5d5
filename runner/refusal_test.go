package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

// TestARefusalIsNoAnswer: neither the model's own nor one of a sub-call is, but one that the text holds.
func TestARefusalIsNoAnswer(t *testing.T) {
	t.Parallel()
	const declines, clerk = "I'm sorry, but I can't help with that.", "I can't assist with that request."
	ask := fence(`r := llm_query("Who fails most? " + context[:2000])` + "\nfmt.Println(r)")
	for name, c := range map[string]struct {
		replies []string
		status  termination.Status
		cut     int
	}{
		"of a sub-call, handed in": {[]string{ask, fence("FINAL(r)")}, termination.Refused, 1},
		"of a sub-call, seen": {
			[]string{ask, fence(countErrors), fence(`FINAL("cart 3")`)}, termination.Completed, 1,
		},
		"of the text": {
			[]string{fence("_, s, _ := strings.Cut(context, \"clerk: \")\nfmt.Println(s)"), fence("FINAL(s)")},
			termination.Completed, 0,
		},
	} {
		model := root(c.replies, func(string) (string, error) { return declines, nil })
		res, err := newRunner(t, model).Answer(
			timeout(t), "What does the clerk say last, in full?", runner.Text("app.log", errorLog+"clerk: "+clerk))
		require.NoError(t, err)
		require.Equal(t, c.status, res.Status, "%s: %s %+v", name, res.Reason, res.Grounding)
		require.Equal(t, c.cut, res.CutReplies, name)
		if c.status == termination.Refused {
			require.False(t, res.HasAnswer)
			require.Equal(t, declines, res.Reply)
			require.Equal(t, exitcode.Limit, res.ExitCode())
		}
	}
}
