package runner_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// shownOutput returns the bound on shown output that the system prompt states.
func shownOutput(t *testing.T, req llm.Request) int {
	t.Helper()
	m := regexp.MustCompile(`Of output beyond (\d+) bytes`).FindStringSubmatch(req.Messages[0].Content)
	require.NotNil(t, m)
	n, err := strconv.Atoi(m[1])
	require.NoError(t, err)
	return n
}

func TestNoRequestIsLargerThanASmallWindow(t *testing.T) {
	t.Parallel()
	prints := map[string]string{
		"words":   `fmt.Println(strings.Repeat("word ", 6000))`,
		"digits":  `for i := range 6000 { fmt.Println(i * 7919) }`,
		"one run": `fmt.Println(strings.Repeat("x", 30_000))`,
		"value":   `strings.Repeat("some value ", 3000)`,
		"error":   `panic(strings.Repeat("some failure ", 3000))`,
	}
	for name, source := range prints {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := []string{}
			for i := range 6 {
				turns = append(turns, fmt.Sprintf("n%d\n", i)+
					strings.Repeat(fence(source+fmt.Sprintf("\nn%d := %d\n_ = n%d", i, i, i)), 4))
			}
			if name == "value" {
				turns = turns[:0]
				for range 5 {
					turns = append(turns, strings.Repeat(fence(source), 4))
				}
			}
			const window = 8000
			n := 0
			model := compactor(append(turns, fence(`FINAL("done")`)), "short", &n)
			res, err := newRunner(t, model, runner.WithWindows(window, 0),
				runner.WithBudgets(runner.Budgets{Errors: -1})).Answer(timeout(t), "q")
			require.NoError(t, err)
			require.NotEmpty(t, res.RunID)
			for i, req := range model.Requests() {
				require.LessOrEqual(t, llm.EstimateMessages(req.Messages), int64(window), "request %d", i)
			}
		})
	}
}

func TestTheShownOutputIsWhatThePromptSays(t *testing.T) {
	t.Parallel()
	long := fence(`for i := range 10_000 { fmt.Println("line", i) }`)
	for name, c := range map[string]struct {
		opts  []runner.Option
		limit int
	}{
		"small window":   {[]runner.Option{runner.WithWindows(8000, 0)}, 4000},
		"large window":   {[]runner.Option{runner.WithWindows(200_000, 0)}, 20_000},
		"unknown window": {nil, 20_000},
		"set by the user": {[]runner.Option{
			runner.WithWindows(8000, 0), runner.WithSandbox(sandbox.Best, sandbox.Limits{Output: 10_000}),
		}, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root([]string{long, fence(`FINAL("done")`)}, nil)
			r := newRunner(t, model, c.opts...)
			res, err := r.Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, c.limit, shownOutput(t, model.Requests()[0]))
			ended := dataOf[trajectory.CellEnded](eventsOf(t, r, res.RunID))[0]
			require.InDelta(t, c.limit, len(ended.Output), 100)
			require.True(t, told(model.Requests()[1], "line 0\n"))
			require.True(t, told(model.Requests()[1], "line 9999\n"))
		})
	}
}

// A cell's shown output depends on the model that reads it, even if that is changed within a session.
func TestTheShownOutputFollowsTheModelThatIsSet(t *testing.T) {
	t.Parallel()
	const long = `fmt.Println(strings.Repeat("\nline 1234", 10_000))`
	shown := func(window int64, own bool, s *runner.Session) int {
		model := llm.NewScripted("scripted", fence(long), fence(`FINAL("done")`))
		if own {
			model = llm.NewScripted("scripted", fence(`FINAL("done")`))
		}
		require.NoError(t, s.Set(runner.WithModel(model), runner.WithWindows(window, 0)))
		n := 0
		if own {
			for range 30 {
				_, err := s.Exec(timeout(t), long)
				require.NoError(t, err)
			}
		}
		res, err := runner.Collect(s.Ask(timeout(t), "q"))
		require.NoError(t, err)
		require.Equal(t, "done", res.Answer)
		requests := model.Requests()
		for _, m := range requests[len(requests)-1].Messages {
			n = max(n, strings.Count(m.Content, "\nline "))
		}
		return n * len("line 1234\n")
	}
	for _, windows := range [][]int64{{8000, 40_000, 200_000}, {200_000}, {8000}} {
		s, err := newRunner(t, root(nil, nil), runner.WithWindows(30_000, 0)).NewSession(timeout(t))
		require.NoError(t, err)
		_, err = s.Exec(timeout(t), "1") // the worker starts
		require.NoError(t, err)
		for _, window := range windows {
			limit := float64(min(20_000, int(window)/2))
			require.InDelta(t, limit, shown(window, false, s), limit/4, "window %d", window)
		}
		require.NoError(t, s.Close())
	}
	for _, window := range []int64{40_000, 8000} {
		s, err := newRunner(t, root(nil, nil)).NewSession(timeout(t))
		require.NoError(t, err)
		require.InDelta(t, window, shown(window, true, s), float64(window)/4,
			"a person's own cells together, window %d", window)
		require.NoError(t, s.Close())
	}
}

func TestASummaryIsAskedForWithinTheWindow(t *testing.T) {
	t.Parallel()
	const window = 6000
	turns := []string{}
	for i := range 5 {
		turns = append(turns, strings.Repeat(fmt.Sprintf("A long thought of turn %d. ", i), 900)+
			fence(fmt.Sprintf("n%d := %d", i, i)))
	}
	n := 0
	model := compactor(append(turns, fence(`FINAL("done")`)), "short", &n)
	_, err := newRunner(t, model, runner.WithWindows(window, 0)).Answer(timeout(t), "q")
	require.NoError(t, err)
	require.Positive(t, n)
	for i, req := range model.Requests() {
		if strings.HasPrefix(req.Messages[len(req.Messages)-1].Content, "[summary]") {
			require.LessOrEqual(t, llm.EstimateMessages(req.Messages), int64(window), "request %d", i)
			require.Contains(t, req.Messages[1].Content, "q")
		}
	}
}

func TestASubCallsCapacityIsOneNumber(t *testing.T) {
	t.Parallel()
	for name, prompts := range map[string]string{
		"words":   `[]string{strings.Repeat("word ", 10_000), strings.Repeat("word ", 11_000), strings.Repeat("word ", 12_000)}`,
		"letters": `[]string{strings.Repeat("xy ", 20_000), strings.Repeat("xy ", 21_000), strings.Repeat("xy ", 22_000)}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := root([]string{
				fence("rs := llm_query_batched(" + prompts + ")\nfmt.Println(len(rs))"),
				fence(`FINAL("done")`),
			}, nil)
			_, err := newRunner(t, model, runner.WithWindows(0, 8000)).Answer(timeout(t), "q")
			require.NoError(t, err)
			requests := model.Requests()
			require.Contains(t, requests[0].Messages[0].Content, "at most about 28k characters")
			require.True(t, told(requests[1], "about 28k characters"))
			seen := requests[1].Messages[len(requests[1].Messages)-1].Content
			require.Equal(t, 1, strings.Count(seen, "too long"), seen)
			require.Contains(t, seen, "index 0, 1, 2: ")
		})
	}
}
