package runner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// served returns a model behind a fake endpoint.
func served(t *testing.T, s *fakeapi.Server, change func(*llm.Config)) *llm.Client {
	t.Helper()
	t.Cleanup(s.Close)
	cfg := llm.Config{
		Model: "m", BaseURL: s.URL(), APIKey: llm.NewSecret("sk-test-0123456789"), Tries: 2,
		BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
	}
	change(&cfg)
	c, err := llm.New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// sentBlocks returns the blocks of a Messages API request without their marks, the number of blocks up to the last
// mark, and the number of marks.
func sentBlocks(t *testing.T, body []byte) (blocks []string, lastMark int, marks int) {
	t.Helper()
	var sent struct {
		System   []map[string]json.RawMessage
		Messages []struct {
			Role    string
			Content []map[string]json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(body, &sent))
	add := func(role string, list []map[string]json.RawMessage) {
		for _, b := range list {
			if b["cache_control"] != nil {
				marks++
				lastMark = len(blocks) + 1
				delete(b, "cache_control")
			}
			text, err := json.Marshal(b)
			require.NoError(t, err)
			blocks = append(blocks, role+string(text))
		}
	}
	add("system", sent.System)
	for _, m := range sent.Messages {
		add(m.Role, m.Content)
	}
	return blocks, lastMark, marks
}

// In a run of 30 turns, all that a turn sent is, byte for byte, a prefix of the next request, and before a mark
// there. The endpoint reads all of it from its cache, and the cost is right to the cent.
func TestARunIsReadFromTheCache(t *testing.T) {
	t.Parallel()
	const turns = 30
	s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		turn := (len(req.Messages) - 1) / 2
		if turn == turns-1 {
			return fakeapi.Reply{Content: fence(`FINAL("done")`)}
		}
		return fakeapi.Reply{
			Content:   fence(fmt.Sprintf(`v%d := %d`+"\n"+`fmt.Println("step", v%d)`, turn, turn, turn)),
			Reasoning: fmt.Sprint("thought ", turn),
		}
	})
	model := served(t, s, func(c *llm.Config) { c.Provider, c.Model = "anthropic", "claude-sonnet-4-5" })
	r := newRunner(t, model, runner.WithBudgets(runner.Budgets{Iterations: turns + 5}),
		runner.WithCallSettings(runner.CallSettings{ReasoningEffort: "low"}, runner.CallSettings{}))
	res, err := r.Answer(timeout(t), "Count to thirty.", runner.Text("notes", "some context"))
	require.NoError(t, err)
	require.Equal(t, "done", res.Answer)

	requests := s.Requests()
	require.Len(t, requests, turns)
	var before []string
	cost, read := 0.0, 0
	for n, req := range requests {
		blocks, lastMark, marks := sentBlocks(t, req.Body)
		require.LessOrEqual(t, marks, 4)
		require.Equal(t, len(blocks), lastMark, "turn %d is marked at its end", n)
		require.True(t, slices.Equal(before, blocks[:len(before)]), "turn %d begins with what turn %d sent", n, n-1)
		before = blocks
		require.Equal(t, read, req.Cache.Read, "turn %d", n)
		require.Zero(t, req.Cache.Fresh)
		read = req.Cache.Read + req.Cache.Written
		reply := fakeapi.Reply{Content: fence(`FINAL("done")`)}
		if n < turns-1 {
			reply = fakeapi.Reply{
				Content:   fence(fmt.Sprintf(`v%d := %d`+"\n"+`fmt.Println("step", v%d)`, n, n, n)),
				Reasoning: fmt.Sprint("thought ", n),
			}
		}
		completion := (len(reply.Content)+len(reply.Reasoning))/4 + 1
		cost += float64(req.Cache.Read)*0.30e-6 + float64(req.Cache.Written)*3.75e-6 + float64(completion)*15e-6
	}
	require.Contains(t, strings.Join(before, ""), "thought 3", "thoughts go back")
	require.NotNil(t, res.Cost)
	require.InDelta(t, cost, *res.Cost, 1e-6)
}

// A run's model and its sub-model have different providers, each is paid at its own price, and a cost that a
// sub-call's endpoint reports overrides the table.
func TestTwoProvidersAreEachPaidTheirPrice(t *testing.T) {
	t.Parallel()
	services := map[string]fakeapi.Service{}
	for _, s := range fakeapi.Services() {
		services[s.Name] = s
	}
	cost := 0.0125
	for name, c := range map[string]struct {
		model string
		reply fakeapi.Reply
		want  float64
	}{
		"openai": {"gpt-4.1-2025-04-14", fakeapi.Reply{
			Content: "that", PromptTokens: 5000, CachedTokens: 1000, CompletionTokens: 400,
		}, 0.008 + 0.0005 + 0.0032},
		"gemini": {"gemini-2.5-flash", fakeapi.Reply{
			Content: "that", PromptTokens: 5000, CompletionTokens: 400, ReasoningTokens: 300,
		}, 0.0015 + 0.001},
		"openrouter": {
			"anthropic/claude-sonnet-4.5",
			fakeapi.Reply{Content: "that", PromptTokens: 5000, CompletionTokens: 400, Cost: &cost},
			0.0125,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fakeapi.Start(
				fakeapi.Rule{Reply: fakeapi.Reply{
					Content: fence(`x := llm_query("what?")`), PromptTokens: 10_000,
					WrittenTokens: 8000, CompletionTokens: 200,
				}},
				fakeapi.Rule{Reply: fakeapi.Reply{
					Content: fence(`FINAL(x)`), PromptTokens: 11_000, CachedTokens: 8000,
					WrittenTokens: 2000, CompletionTokens: 100,
				}},
			)
			sub := fakeapi.StartService(services[name], func(fakeapi.Request) fakeapi.Reply { return c.reply })
			a := served(t, root, func(cfg *llm.Config) { cfg.Provider, cfg.Model = "anthropic", "claude-sonnet-4-5" })
			b := served(t, sub, func(cfg *llm.Config) {
				cfg.Provider, cfg.Model, cfg.APIKey = name, c.model, llm.NewSecret(fakeapi.ServiceKey)
			})
			res, err := newRunner(t, a, runner.WithSubModel(b)).Answer(timeout(t), "q")
			require.NoError(t, err)
			require.Equal(t, "that", res.Answer)
			byHand := (2000*3 + 8000*3.75 + 200*15 + 1000*3 + 8000*0.30 + 2000*3.75 + 100*15) / 1e6
			require.NotNil(t, res.Cost)
			require.InDelta(t, byHand+c.want, *res.Cost, 1e-9)
		})
	}
}

// A run whose model has no quota left continues with the next model, records that in its log, and pays for nothing
// twice when resumed.
func TestARunFallsBack(t *testing.T) {
	t.Parallel()
	down := true
	first := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		if down {
			return fakeapi.Failing(402, "no credit")
		}
		return fakeapi.Reply{Content: fence(`FINAL(x + " by the first")`)}
	})
	second := fakeapi.Start(
		fakeapi.Rule{Reply: fakeapi.Reply{
			Content: fence(`x := llm_query("what?")`), Reasoning: "hm", PromptTokens: 50_000, CompletionTokens: 1,
		}},
		fakeapi.Rule{Match: "what?", Reply: fakeapi.Reply{Content: "that", PromptTokens: 1000, CompletionTokens: 1}},
		fakeapi.Rule{Reply: fakeapi.Failing(400, "an end")},
	)
	price := func(usd float64) llm.Facts { return llm.Facts{Price: &llm.Price{Input: usd, Output: usd}} }
	a := served(t, first, func(c *llm.Config) { c.Name, c.Facts = "dear", price(100) })
	b := served(t, second, func(c *llm.Config) { c.Name, c.Model, c.Facts = "cheap", "served-b", price(1) })
	r := newRunner(t, llm.NewFallback(a, b))
	var told []trajectory.FellBack
	var models []string
	var cost float64
	run := ""
	for ev, err := range r.Run(timeout(t), "q") {
		if err != nil {
			break
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			run = d.Run
		case trajectory.FellBack:
			told = append(told, d)
		case trajectory.ReplyReceived:
			models = append(models, d.Model)
			cost += *d.Usage.Cost
		case trajectory.SubCallEnded:
			models = append(models, d.Model)
		}
	}
	require.Equal(t, []trajectory.FellBack{{Model: "dear", To: "cheap", Reason: "quota"}}, told,
		"later calls do not ask what just failed")
	require.Equal(t, []string{"served-b", "served-b"}, models)
	require.InDelta(t, 0.05, cost, 0.001, "at the price of who answered")
	paid := len(second.Requests())

	down = false
	again := newRunnerAt(t, r)
	var answer string
	for ev, err := range again.Resume(
		timeout(t), run, runner.WithModel(llm.NewFallback(a, b)), runner.WithSubModel(a)) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.ReplyReceived); ok {
			models = append(models, d.Model)
		}
		if d, ok := ev.Data.(trajectory.RunEnded); ok {
			answer = d.Answer
		}
	}
	require.Equal(t, "that by the first", answer)
	require.Len(t, second.Requests(), paid, "what is recorded is not paid for again")
	require.Equal(t, "m", models[len(models)-1], "the log says who answered then")
}
