package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// stopIn runs a person's cell and stops it in its nth call of ask, or when it prints "stop here".
func stopIn(
	t *testing.T, n int, engine repl.Engine, before, source string,
) (*runner.Runner, *runner.Session, sandbox.Result) {
	ctx, stop := context.WithCancel(timeout(t))
	calls := 0
	r := newRunner(t, root([]string{fence("FINAL(1)"), fence("FINAL(2)")}, nil), runner.WithEngine(engine),
		runner.WithDataDir(t.TempDir()),
		runner.WithTool("ask", "One more.", func(ctx context.Context) (string, error) {
			if calls++; calls == n {
				stop()
				<-ctx.Done()
				return "", ctx.Err()
			}
			return fmt.Sprintf("reply %d", calls), nil
		}))
	s, err := r.NewSession(timeout(t), runner.Text("t", strings.Repeat("a line of the context\n", 100)))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	if before != "" {
		res, err := s.Exec(timeout(t), before)
		require.NoError(t, err)
		require.Nil(t, res.Error)
	}
	events, unsubscribe := s.Subscribe()
	defer unsubscribe()
	go func() {
		for ev := range events {
			if p, ok := ev.Data.(trajectory.CellPrinted); ok && strings.Contains(p.Text, "stop here") {
				stop()
			}
		}
	}()
	res, err := s.Exec(ctx, source)
	require.NoError(t, err)
	require.NotNil(t, res.Error)
	require.Equal(t, cellerror.Cancelled, res.Error.Kind, res.Error.Message)
	return r, s, res
}

// Variables that a person's cell had set when it was stopped keep their values, even when the session is opened
// again; the model is told.
func TestAStoppedCellKeepsWhatItHadSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		engines        []repl.Engine
		before, source string
		values         map[string]string // an expression and its output
		says           []string
	}{
		"a list of replies": {
			[]repl.Engine{sandbox.Auto, repl.Exact},
			"var got []string",
			"for {\n\tgot = append(got, ask())\n}",
			map[string]string{"got": "[reply 1 reply 2]"},
			[]string{"stays: got.", "recorded_calls(2)"},
		},
		"its own types, functions and variables": {
			[]repl.Engine{repl.Exact},
			"",
			"type row struct { Name string; n int; more []any }\nfunc twice(n int) int { return 2 * n }\nrows := map[string]row{}\n" +
				"for i := 1; ; i++ {\n\trows[ask()] = row{\"x\\n\\\"y\", i, []any{i, 0.5, nil, true, \"s\"}}\n}\nlate := 1\n_ = late",
			map[string]string{
				`rows["reply 2"].n + twice(4)`: "10",
				`rows["reply 1"]`:              "{x\n\"y 1 [1 0.5 <nil> true s]}",
			},
			[]string{"stays: rows."},
		},
		"passages of the context": {
			[]repl.Engine{sandbox.Auto, repl.Exact},
			"",
			"parts := []string{context[22:122]}\nu, f := uint8(7), float32(0.1)\nfor {\n\tparts = append(parts, ask())\n}",
			map[string]string{"parts[0] == context[22:122]": "true", "len(parts)": "3", "u": "7", "f": "0.1"},
			[]string{"stays: f, parts, u."},
		},
		"what only computes, in the exact engine": {
			[]repl.Engine{repl.Exact},
			"n, sums := 1, map[int]float64{}",
			"sums[3], n = 4.5, 2\nfmt.Println(\"stop here\")\nfor i := 0; ; i = 1 - i {\n\tsums[i] = 1\n}",
			map[string]string{"n": "2", "sums[3]": "4.5"},
			[]string{"stays: n, sums."},
		},
		"nothing": {
			[]repl.Engine{sandbox.Auto, repl.Exact},
			"x := 1", "ask()\nask()\nask()\nx = 2",
			map[string]string{"x": "1"},
			[]string{"had set nothing"},
		},
	} {
		for _, engine := range c.engines {
			t.Run(name+" "+string(engine), func(t *testing.T) {
				t.Parallel()
				r, s, res := stopIn(t, 3, engine, c.before, c.source)
				for _, words := range c.says {
					require.Contains(t, res.Error.Message, words)
				}
				check := func(s *runner.Session) {
					for expression, want := range c.values {
						res, err := s.Exec(timeout(t), "fmt.Print("+expression+")")
						require.NoError(t, err)
						require.Nil(t, res.Error)
						require.Equal(t, want, res.Output, expression)
					}
				}
				check(s)
				require.NoError(t, s.Close())
				s, err := r.OpenSession(timeout(t), s.ID())
				require.NoError(t, err)
				defer s.Close()
				check(s)
			})
		}
	}
}

// If a question was stopped in a cell and not resumed, its paid replies are kept, and the next question tells the
// model where they are.
func TestTheNextQuestionIsToldOfAStoppedCell(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("x := 1"), fence("x = 2\nask()\nask()"),
		fence("FINAL(fmt.Sprint(x, recorded_calls(2)[0].Reply))"), fence("FINAL(3)"),
	}, nil)
	ctx, stop := context.WithCancel(timeout(t))
	calls := 0
	r := newRunner(t, model, runner.WithTool("ask", "One more.", func(ctx context.Context) (int, error) {
		if calls++; calls > 1 {
			stop()
			<-ctx.Done()
		}
		return 7, ctx.Err()
	}))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Answer(ctx, "first")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "1[7]", ask(t, s, "second").Answer)
	messages := model.Requests()[2].Messages
	require.Contains(t, messages[len(messages)-1].Content,
		"cell 2 was stopped before its end: what it set is gone; the replies to the sub-calls of cell 2 are still there: recorded_calls(2)")
	ask(t, s, "third")
	messages = model.Requests()[3].Messages
	require.NotContains(t, messages[len(messages)-1].Content, "was stopped before", "once")
}

// The error of a stopped cell names the values that are lost, and how to read the replies.
func TestAStoppedCellSaysWhatIsGone(t *testing.T) {
	t.Parallel()
	_, s, res := stopIn(t, 3, repl.Yaegi, "x := 1", "x = 2\nask()\nfmt.Println(\"stop here\")\nfor {\n}")
	require.Contains(t, res.Error.Message, "What this cell set is gone")
	require.Contains(t, res.Error.Message, "recorded_calls(2)")
	res, err := s.Exec(timeout(t), "fmt.Print(x, recorded_calls(2)[0].Reply)")
	require.NoError(t, err)
	require.Equal(t, `1["reply 1"]`, res.Output)

	_, s, res = stopIn(t, 2, repl.Exact, "", "f := func() int { return 3 }\nn := 1\nask()\nask()")
	require.Contains(t, res.Error.Message, "there until the notebook is closed: f.")
	res, err = s.Exec(timeout(t), "fmt.Print(f() + n)")
	require.NoError(t, err)
	require.Equal(t, "4", res.Output)
}
