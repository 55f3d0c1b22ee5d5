package main

import (
	"bytes"
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	compare "github.com/gorlm/rlm/examples/compare/corpus"
	incidents "github.com/gorlm/rlm/examples/incidents/corpus"
	oolong "github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/examples/recorded"
	"github.com/gorlm/rlm/internal/demo/demotest"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// demonstrate runs the command and returns its exit code and what it printed.
func demonstrate(t *testing.T, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(t.Context(), args, screen.NewOutput(&out), screen.NewOutput(&errOut))
	return code, out.String(), errOut.String()
}

func TestTheDemoAnswersAndRecords(t *testing.T) {
	data := t.TempDir()
	t.Setenv("RLM_DATA_DIR", data)
	code, stdout, stderr := demonstrate(t, "oolong") // the smallest; the gate runs the usual one
	require.Equal(t, exitcode.Answered, code, stderr)
	require.Empty(t, oolong.Check(stdout))
	require.Contains(t, stderr, "the model's replies are recorded")
	require.Contains(t, stderr, "\nquestion: ")
	require.Contains(t, stderr, "\nturn 1 · cell 1 ok\n")
	require.Contains(t, stderr, "\ncompleted by FINAL")
	require.Contains(t, stderr, "rlm show last")
	runs, err := trajectory.List(trajectory.RunsDir(data))
	require.NoError(t, err)
	require.Len(t, runs, 1, "it is recorded where rlm finds it")

	usual, err := recorded.Named(nil)
	require.NoError(t, err)
	require.Equal(t, incidents.Question, usual.Question)
}

func TestAStoppedDemoEndsAsInterrupted(t *testing.T) {
	t.Setenv("RLM_DATA_DIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errOut bytes.Buffer
	require.Equal(t, exitcode.Interrupted, run(ctx, nil, screen.NewOutput(&out), screen.NewOutput(&errOut)))
	require.Empty(t, out.String())
}

func TestTheDemoNamesItsQuestions(t *testing.T) {
	for name, says := range map[string]string{
		"oolnog":  `demo: there is no demo "oolnog": did you mean oolong?`,
		"nothing": `demo: there is no demo "nothing": incidents, oolong or compare`,
	} {
		code, stdout, stderr := demonstrate(t, name)
		require.Equal(t, exitcode.Usage, code)
		require.Empty(t, stdout)
		require.Equal(t, says+"\n", stderr)
	}
	code, _, stderr := demonstrate(t, "oolong", "compare")
	require.Equal(t, exitcode.Usage, code)
	require.Equal(t, "demo: the demo takes one name: incidents, oolong or compare\n", stderr)
}

// TestTheRecordingsGiveTheRightAnswers replays the recorded replies, with everything else live, and compares the
// answers with ones computed without a model.
func TestTheRecordingsGiveTheRightAnswers(t *testing.T) {
	checks := map[string]func(string) any{
		"incidents": func(answer string) any { return incidents.Check(answer) },
		"oolong":    func(answer string) any { return oolong.Check(answer) },
		"compare":   func(answer string) any { return compare.Check(answer) },
	}
	for name, ex := range recorded.Examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := demotest.Answer(t, ex.Replies, ex.Question, ex.Inputs())
			require.Positive(t, result.SubCalls)
			require.Empty(t, checks[name](result.Answer))
		})
	}
}

// TestTheDemoIsSmall checks what people wait for who try it in a new clone: it links neither the queue, telemetry
// and servers nor the command line's library.
func TestTheDemoIsSmall(t *testing.T) {
	linked, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for _, large := range []string{
		"nats-io", "opentelemetry", "modelcontextprotocol", "spf13", "rlm/internal/session", "rlm/internal/fleet",
	} {
		require.NotContains(t, string(linked), large)
	}
}
