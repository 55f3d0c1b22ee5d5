package runner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

func TestPromptsAreShort(t *testing.T) {
	t.Parallel()
	system := firstPrompt(t, nil)[0].Content
	require.LessOrEqual(t, text.CountTokens(system), 1900)
	for _, says := range []string{
		"in a reply of its own, after an output has shown the answer", "below about 15k tokens",
		"Number items, at most 100 a prompt",
		"asked twice in other words", "If the text does not say, say so", "thinking is not kept",
		"Hit{Offset, Line int; Text, Match, Around, Where string}",
		"Part{Kind string; Number int; Name string; Offset int; Text string}",
		"judge(items []string, question string, labels []string, options ...any) Verdicts",
	} {
		require.Contains(t, system, says)
	}
	require.NotContains(t, system, "FINAL_VAR", "one signal is enough")
	require.NotContains(t, system, "history", "nothing was said before")
	short := firstPrompt(t, nil, runner.WithWindows(4000, 0))[0].Content
	require.LessOrEqual(t, text.CountTokens(short), 600)
	_, functions, _ := strings.Cut(short, "Functions besides Go's own:\n")
	require.Len(t, strings.Split(strings.TrimSpace(functions), "\n"), 10)
	for _, says := range []string{
		"Hit{Offset, Line int; Text, Match, Around, Where string}",
		"Part{Kind string; Number int; Name, Text string}", "below about 1000 tokens",
	} {
		require.Contains(t, short, says)
	}
}

// namedModel is a scripted model with another name.
type namedModel struct {
	*llm.ScriptedModel
	name string
}

func (m namedModel) Name() string { return m.name }

func TestShortPromptIsChosenByWindowAndModel(t *testing.T) {
	t.Parallel()
	isShort := func(name string, opts ...runner.Option) bool {
		m := namedModel{root([]string{fence(`FINAL(1)`), fence(`FINAL(1)`)}, nil), name}
		_, err := newRunner(t, m, opts...).Answer(timeout(t), "What is it?")
		require.NoError(t, err)
		return !strings.Contains(m.Requests()[0].Messages[0].Content, "# Strategy")
	}
	for name, small := range map[string]bool{
		"gpt-x": false, "llama3.2:3b": true, "Qwen2.5-7B-Instruct": true, "qwen3-30b-a3b": false, "llama-70b": false,
		"tiny-1.1B-chat": true, "abc": false,
	} {
		require.Equal(t, small, isShort(name), name)
	}
	require.True(t, isShort("gpt-x", runner.WithWindows(15_999, 0)))
	require.False(t, isShort("gpt-x", runner.WithWindows(16_000, 0)))
	shipped, err := prompts.Named(prompts.Shipped)
	require.NoError(t, err)
	require.False(t, isShort("llama3.2:3b", runner.WithWindows(4000, 0), runner.WithPrompts(shipped)),
		"what is asked for is used")
}

// Every fenced block of every prompt is a cell that compiles and runs, in both engines.
func TestExamplesOfAllPromptsRun(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("2026-01-02 ERROR billing failed\n2026-01-04 WARN refund refused\n", 500)
	forms := map[string][]runner.Option{
		"usual": nil, "task": {runner.WithMode(termination.Task)},
		"a form": {runner.WithSchema(
			`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}},"required":["names"]}`)},
		"a scalar": {runner.WithSchema(`{"type":"integer"}`)},
	}
	for _, prompt := range []string{prompts.Shipped, prompts.Short} {
		words, err := prompts.Named(prompt)
		require.NoError(t, err)
		for form, opts := range forms {
			for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
				usual := append([]runner.Option{runner.WithPrompts(words), runner.WithEngine(engine)}, opts...)
				model := root([]string{fence("x := 1")}, func(string) (string, error) {
					return "billing: \"too late\"", nil
				})
				r := newRunner(t, model, usual...)
				_, _ = r.Answer(timeout(t), "What is it?", runner.Text("log", log)) // fails: the script ends
				s, err := r.NewSession(timeout(t), runner.Text("log", log))
				require.NoError(t, err)
				cells := reply.Parse(model.Requests()[0].Messages[0].Content, reply.Names{}, false).Cells
				require.NotEmpty(t, cells)
				for _, c := range cells {
					res, err := s.Exec(timeout(t), c.Source)
					require.NoError(t, err)
					require.Nil(t, res.Error, "%s, %s, %s: %s\n%v", prompt, form, engine, c.Source, res.Error)
				}
				s.Close()
			}
		}
	}
}
