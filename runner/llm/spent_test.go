package llm_test

import (
	"fmt"
	"slices"
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
		{slices.Concat([]string{broken}, slices.Repeat([]string{piece}, 7), []string{told}), true},
		{slices.Concat([]string{broken}, slices.Repeat([]string{piece}, 8), []string{told}), false},
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

// What a broken reply used is reckoned as earlier replies were counted, text and thoughts together, within bounds.
func TestAnEstimateLearnsFromReplies(t *testing.T) {
	thought, said := strings.Repeat("a thought ", 40), strings.Repeat("a word ", 20)
	got := llm.EstimateTokens(thought) + llm.EstimateTokens(said)
	sent := llm.EstimateMessages(ask("hi").Messages)
	for told, want := range map[float64]float64{0.01: 0.125, 0.5: 0.5, 1: 1, 1.5: 1.5, 8: 8, 9: 8} {
		usage := fmt.Sprintf(`{"prompt_tokens":%v,"completion_tokens":%v}`, told*float64(sent), told*float64(got))
		s := fakeapi.Start(
			fakeapi.Rule{Reply: fakeapi.Reply{Content: said, Reasoning: thought, Usage: usage}},
			fakeapi.Rule{Reply: fakeapi.Reply{
				Body:   `data: {"choices":[{"delta":{"content":"` + said + `"}}]}` + "\n\n",
				Header: map[string]string{"Content-Type": "text/event-stream"},
			}},
			fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}},
		)
		c := client(t, s)
		generate(t, c, ask("hi"))
		resp, _ := generate(t, c, ask("hi"))
		require.Equal(t, 2, resp.Attempts)
		least := want*float64(sent) + want*float64(llm.EstimateTokens(said))
		require.InDelta(t, least, resp.Usage.Wasted, 1.5, "%v", told)
	}
	s := fakeapi.Start(
		fakeapi.Rule{Reply: fakeapi.Reply{
			Content: "a", Usage: fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":4}`, sent),
		}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: said, Fault: fakeapi.Drop, Pieces: 1, PieceSize: len(said)}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}},
	)
	c := client(t, s)
	generate(t, c, ask("hi"))
	resp, _ := generate(t, c, ask("hi"))
	require.Equal(t, sent+4*llm.EstimateTokens(said), resp.Usage.Wasted, "one token is enough to learn from")
}

// With a key of one's own at the provider, the endpoint's cost is its fee, and the provider's price comes on top.
func TestTheCostOfAUsage(t *testing.T) {
	for told, want := range map[string]float64{ // -1: not known
		`"cost":0.25`:                                                        0.25,
		`"cost":0.25,"cost_in_usd_ticks":5e9`:                                0.25,
		`"cost_in_usd_ticks":5e9`:                                            0.5,
		`"cost":"$0.25"`:                                                     0.25,
		`"cost":-1`:                                                          -1,
		`"cost":0.25,"is_byok":"true"`:                                       -1,
		`"cost":0.25,"is_byok":"false"`:                                      0.25,
		`"cost":0.25,"upstream_inference_cost":4`:                            0.25,
		`"cost":0,"upstream_inference_cost":4`:                               4,
		`"upstream_inference_cost":4`:                                        4,
		`"upstream_inference_cost":0`:                                        -1,
		`"cost":0,"upstream_inference_cost":0`:                               0,
		`"cost":0.25,"is_byok":true,"upstream_inference_cost":4`:             4.25,
		`"is_byok":true,"upstream_inference_cost":4`:                         4,
		`"cost":0.25,"is_byok":true,"upstream_inference_cost":0`:             -1,
		`"is_byok":true,"cost_details":{"upstream_inference_prompt_cost":1}`: 1,
		`"is_byok":true,"upstream_inference_cost":4,"cost_details":{"upstream_inference_prompt_cost":1}`: 4,
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
			Content: "ok", Usage: `{"prompt_tokens":9,"completion_tokens":1,` + told + `}`,
		}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, llm.Usage{Prompt: 9, Completion: 1}, resp.Usage, told)
		if want < 0 {
			require.Nil(t, resp.Cost, told)
			continue
		}
		require.NotNil(t, resp.Cost, told)
		require.InDelta(t, want, *resp.Cost, 1e-12, told)
	}
	for header, want := range map[string]float64{"0.5": 0.5, "0": -1, "-1": -1, "x": -1, "": -1} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
			Content: "ok", Header: map[string]string{"X-Litellm-Response-Cost": header},
		}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, want >= 0, resp.Cost != nil, header)
		if resp.Cost != nil {
			require.InDelta(t, want, *resp.Cost, 1e-12)
		}
	}
}

// One number and a total make the other number; a total that cannot be makes none.
func TestATotalSaysTheRest(t *testing.T) {
	said := llm.EstimateTokens("ok")
	sent := llm.EstimateMessages(ask("hi").Messages)
	for told, want := range map[string]llm.Usage{
		`"prompt_tokens":30,"total_tokens":30`:   {Prompt: 30},
		`"prompt_tokens":30,"total_tokens":29`:   {Prompt: 30, Completion: said, Estimated: true},
		`"prompt_tokens":30,"total_tokens":0`:    {Prompt: 30, Completion: said, Estimated: true},
		`"prompt_tokens":0,"total_tokens":0`:     {Completion: said, Estimated: true},
		`"completion_tokens":5,"total_tokens":5`: {Completion: 5},
		`"completion_tokens":5,"total_tokens":4`: {Prompt: sent, Completion: 5, Estimated: true},
		`"total_tokens":1000`:                    {Prompt: sent, Completion: 1000 - sent, Estimated: true},
		`"total_tokens":1`:                       {Prompt: 1, Estimated: true},
		`"cost":0.5`:                             {Prompt: sent, Completion: said, Estimated: true},
		`"prompt_tokens":30,"completion_tokens":5,"total_tokens":45,"reasoning_tokens":10`: {
			Prompt: 30, Completion: 15, Reasoning: 10, // xAI
		},
		`"prompt_tokens":30,"completion_tokens":5,"total_tokens":45,"reasoning_tokens":3`: {
			Prompt: 30, Completion: 5, Reasoning: 3,
		},
		`"promptTokenCount":30,"candidatesTokenCount":5,"thoughtsTokenCount":7`: {Prompt: 30, Completion: 12, Reasoning: 7},
		`"promptTokenCount":30,"thoughtsTokenCount":7,"totalTokenCount":37`:     {Prompt: 30, Completion: 7, Reasoning: 7},
		`"input_tokens":30,"output_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":2,` +
			`"cache_creation":{"ephemeral_1h_input_tokens":1}`: {
			Prompt: 39, Completion: 5, Cached: 7, CacheWritten: 2, CacheWrittenHour: 1,
		},
		`"prompt_tokens":30,"completion_tokens":5,"cache_read_input_tokens":7`: {Prompt: 30, Completion: 5, Cached: 7},
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: "{" + told + "}"}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.Equal(t, want, resp.Usage, told)
		require.Equal(t, strings.Contains(told, "cost"), resp.Cost != nil, "a cost alone counts")
	}
}
