package llm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// The usage of a reply that ends with an error often follows the error, even behind further events.
func TestUsageBehindAnError(t *testing.T) {
	piece := `{"choices":[{"delta":{"content":"half"}}]}`
	broken := `{"error":{"message":"overloaded","code":503}}`
	told := `{"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":5,"cost":0.5}}`
	for _, c := range []struct {
		events []string
		found  bool
	}{
		{[]string{piece, broken, told}, true},
		{[]string{broken, told}, true},
		{[]string{piece, broken, broken, piece, told}, true},
		{append(append([]string{piece, broken}, strings.Split(strings.Repeat(piece+"\n", 7), "\n")[:7]...), told), true},
		{append(append([]string{piece, broken}, strings.Split(strings.Repeat(piece+"\n", 8), "\n")[:8]...), told), false},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: events(c.events...)})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, llm.ErrUnavailable, e.Kind, e.Message)
		require.Equal(t, c.found, e.Waste.Cost != nil, c.events)
		if c.found {
			require.Equal(t, llm.Usage{Prompt: 30, Completion: 5}, e.Waste.Usage)
			require.Equal(t, 0.5, *e.Waste.Cost)
		}
	}
}

// What a broken reply used is reckoned as earlier replies were counted, text and thoughts together.
func TestAnEstimateLearnsFromReplies(t *testing.T) {
	thought, said := strings.Repeat("a thought ", 40), strings.Repeat("a word ", 20)
	got := llm.EstimateTokens(thought) + llm.EstimateTokens(said)
	sent := llm.EstimateMessages(ask("hi").Messages)
	s := fakeapi.Start(
		fakeapi.Rule{Reply: fakeapi.Reply{
			Content: said, Reasoning: thought, PromptTokens: int(3 * sent), CompletionTokens: int(2 * got),
		}},
		fakeapi.Rule{Reply: fakeapi.Reply{
			Body:   `data: {"choices":[{"delta":{"content":"` + said + `"}}]}` + "\n\n",
			Header: map[string]string{"Content-Type": "text/event-stream"},
		}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", PromptTokens: int(3 * sent), CompletionTokens: 1}},
	)
	c := client(t, s)
	generate(t, c, ask("hi"))
	resp, _ := generate(t, c, ask("hi"))
	require.Equal(t, 2, resp.Attempts)
	require.Equal(t, 3*sent+2*llm.EstimateTokens(said), resp.Usage.Wasted)
}
