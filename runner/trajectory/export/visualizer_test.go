package export_test

import (
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// iteration has the fields of an iteration that the tests check, by the visualizer's names.
type iteration struct {
	Timestamp string
	Prompt    []struct{ Role, Content string }
	Response  string
	Blocks    []struct {
		Code   string
		Result struct {
			Stderr string
			Time   float64 `json:"execution_time"`
			Locals map[string]string
			Calls  []vizCall `json:"rlm_calls"`
		}
	} `json:"code_blocks"`
	Final     *string `json:"final_answer"`
	Time      float64 `json:"iteration_time"`
	Usage     usage   `json:"usage_summary"`
	RunUsage  usage   `json:"run_usage_summary"`
	Reasoning string
	Finish    string `json:"finish_reason"`
	Notes     []string
	Status    string
}

type vizCall struct {
	Prompt, Response, Error string
	In                      int64  `json:"prompt_tokens"`
	Out                     int64  `json:"completion_tokens"`
	Usage                   usage  `json:"usage_summary"`
	Finish                  string `json:"finish_reason"`
	Cached                  bool
}

type usage struct {
	Total  *float64 `json:"total_cost"`
	Models map[string]struct {
		Calls int      `json:"total_calls"`
		In    int64    `json:"total_input_tokens"`
		Cost  *float64 `json:"total_cost"`
	} `json:"model_usage_summaries"`
}

// placed is an event at a given second of a run.
type placed struct {
	second int
	path   string
	turn   int
	data   trajectory.Data
}

var begun = time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("far away", 9*3600))

// visualized exports events and reads the iterations back.
func visualized(t *testing.T, events ...placed) []iteration {
	t.Helper()
	var seq iter.Seq2[trajectory.Event, error] = func(yield func(trajectory.Event, error) bool) {
		for i, e := range events {
			at := begun.Add(time.Duration(e.second) * time.Second)
			if !yield(trajectory.Event{Seq: int64(i + 1), Time: at, Path: e.path, Turn: e.turn, Data: e.data}, nil) {
				return
			}
		}
	}
	out := exported(t, func(b *strings.Builder) error { return export.Visualizer(b, seq) })
	var its []iteration
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var it iteration
		require.NoError(t, json.Unmarshal([]byte(line), &it))
		if i > 0 {
			its = append(its, it)
		}
	}
	return its
}

func dollars(f float64) *float64 { return &f }

func replied(model, content string, cost float64) trajectory.ReplyReceived {
	return trajectory.ReplyReceived{
		Content: trajectory.T(content), Model: model, FinishReason: "stop",
		Usage: trajectory.Usage{Prompt: 100, Completion: 10, Cached: 40, Cost: dollars(cost)},
	}
}

func TestTimesHaveAZone(t *testing.T) {
	its := visualized(t, placed{0, "", 0, trajectory.RunStarted{Question: "q"}},
		placed{1, "", 1, trajectory.TurnStarted{}},
		placed{3, "", 1, replied("big", "hm", 0)})
	at, err := time.Parse(time.RFC3339Nano, its[0].Timestamp)
	require.NoError(t, err)
	require.True(t, at.Equal(begun.Add(time.Second)), its[0].Timestamp)
}

func TestTheCostOfEveryCallHasAPlace(t *testing.T) {
	its := visualized(t,
		placed{0, "", 0, trajectory.RunStarted{Question: "q", Model: "big"}},
		placed{0, "", 1, trajectory.TurnStarted{}}, placed{1, "", 1, replied("big", "ask", 1)},
		placed{1, "", 1, trajectory.CellStarted{Cell: 1}},
		placed{1, "", 1, trajectory.SubCallStarted{Cell: 1, Hash: "c", Impl: "rlm_query", Child: "1.1/1"}},
		placed{2, "1.1/1", 0, trajectory.RunStarted{Question: "dig"}}, placed{2, "1.1/1", 1, trajectory.TurnStarted{}},
		placed{3, "1.1/1", 1, replied("big", "dig", 2)}, placed{3, "1.1/1", 1, trajectory.CellStarted{Cell: 1}},
		placed{3, "1.1/1", 1, trajectory.SubCallStarted{Cell: 1, Hash: "s", Impl: "llm_query", Model: "small"}},
		placed{4, "1.1/1", 1, trajectory.SubCallEnded{
			Cell: 1, Hash: "s", Model: "small", Usage: trajectory.Usage{Prompt: 7, Completion: 3, Cost: dollars(0.5)},
		}},
		placed{4, "1.1/1", 1, trajectory.CellEnded{Cell: 1, OK: true}},
		placed{4, "1.1/1", 1, trajectory.RunEnded{Status: "completed", HasAnswer: true}},
		placed{5, "", 1, trajectory.SubCallEnded{Cell: 1, Hash: "c", Model: "big", Reply: trajectory.T("7")}},
		placed{5, "", 1, trajectory.CellEnded{Cell: 1, OK: true}},
		placed{5, "", 1, trajectory.RunEnded{
			Status: "completed", HasAnswer: true, EndedBy: "signal", Usage: map[string]trajectory.Usage{
				"big": {Prompt: 200, Cost: dollars(3)}, "small": {Prompt: 7, Cost: dollars(0.5)},
			},
		}})
	require.Len(t, its, 1)
	call := its[0].Blocks[0].Result.Calls[0]
	require.Equal(t, []int64{107, 13}, []int64{call.In, call.Out}, "what a child run used, with its own calls")
	require.Equal(t, dollars(2.5), call.Usage.Total)
	require.Equal(t, dollars(0.5), call.Usage.Models["small"].Cost)
	require.Equal(t, dollars(1), its[0].Usage.Total, "the turn's own reply")
	require.Equal(t, dollars(3.5), its[0].RunUsage.Total)
}

func TestHowARunEndedIsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		end     trajectory.RunEnded
		success bool
	}{
		"a signal": {
			trajectory.RunEnded{Status: "completed", HasAnswer: true, Answer: "7", EndedBy: "signal"}, true,
		},
		"a failed endpoint": {
			trajectory.RunEnded{Status: "error", EndedBy: "endpoint", Reason: "refused the API key"}, false,
		},
		"a limit without answer": {
			trajectory.RunEnded{Status: "max_iterations", EndedBy: "limit", Reason: "30 of 30 turns"}, false,
		},
		"a limit with an answer": {trajectory.RunEnded{
			Status: "max_iterations", EndedBy: "limit", Reason: "30 of 30 turns", HasAnswer: true, Answer: "7",
		}, false},
		"a guard": {
			trajectory.RunEnded{Status: "error", EndedBy: "guard", Reason: "the same again"}, false,
		},
		"interrupted": {
			trajectory.RunEnded{Status: "stopped", EndedBy: "interrupt", Reason: "the run was interrupted"}, false,
		},
	} {
		its := visualized(t, placed{0, "", 0, trajectory.RunStarted{Question: "q"}},
			placed{0, "", 1, trajectory.TurnStarted{}}, placed{1, "", 1, c.end})
		require.Equal(t, c.end.Status, its[0].Status, name)
		require.Equal(t, c.end.HasAnswer, its[0].Final != nil, name)
		if c.success {
			require.Empty(t, its[0].Blocks, name)
			continue
		}
		require.Contains(t, its[0].Response, c.end.Reason, name)
		require.Contains(t, its[0].Blocks[len(its[0].Blocks)-1].Result.Stderr, c.end.Reason, "%s: as an error", name)
	}
}

func TestCallsStandInTheOrderOfTheirPrompts(t *testing.T) {
	start := func(batch, index int, prompt string) placed {
		return placed{1, "", 1, trajectory.SubCallStarted{
			Cell: 1, Hash: prompt, Batch: batch, Index: index, Prompt: trajectory.T(prompt),
		}}
	}
	its := visualized(t, placed{0, "", 0, trajectory.RunStarted{Question: "q"}},
		placed{0, "", 1, trajectory.TurnStarted{}},
		placed{0, "", 1, replied("big", "ask", 1)}, placed{1, "", 1, trajectory.CellStarted{Cell: 1}},
		start(0, 0, "single"), start(1, 2, "a2"), start(1, 0, "a0"), start(2, 1, "b1"), start(1, 1, "a1"),
		start(2, 0, "b0"), start(0, 0, "last"),
		placed{2, "", 1, trajectory.SubCallEnded{Cell: 1, Hash: "a1", Error: "refused"}},
		placed{2, "", 1, trajectory.SubCallEnded{
			Cell: 1, Hash: "a2", Reply: trajectory.T("cut"), FinishReason: "length",
		}},
		placed{2, "", 1, trajectory.SubCallEnded{Cell: 1, Hash: "a0", Reply: trajectory.T("fine"), Cached: true}})
	var prompts []string
	byPrompt := map[string]vizCall{}
	for _, c := range its[0].Blocks[0].Result.Calls {
		prompts = append(prompts, c.Prompt)
		byPrompt[c.Prompt] = c
	}
	require.Equal(t, []string{"single", "a0", "a1", "a2", "b0", "b1", "last"}, prompts)
	require.Equal(t, "[error] refused", byPrompt["a1"].Response)
	require.Equal(t, "refused", byPrompt["a1"].Error)
	require.Contains(t, byPrompt["b0"].Response, "[error] the run stopped")
	require.Equal(t, "length", byPrompt["a2"].Finish)
	require.True(t, byPrompt["a0"].Cached)
}

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	question := func(q string) []placed {
		return []placed{
			{0, "", 0, trajectory.RunStarted{Question: q}},
			{0, "", 0, trajectory.MessageAdded{Role: "user", Kind: "question", Content: trajectory.T(q)}},
			{0, "", 1, trajectory.TurnStarted{}},
			{1, "", 1, replied("big", "reply to "+q, 1)},
		}
	}
	end := placed{1, "", 1, trajectory.RunEnded{Status: "completed", HasAnswer: true, EndedBy: "signal"}}
	var events []placed
	events = append(append(events, question("first")...), end)
	events = append(append(events, question("second")...), end, placed{2, "", 0, trajectory.Undone{Runs: 1}})
	events = append(events, question("third")...) // the third question has no end: it was interrupted
	events = append(events, placed{3, "", 0, trajectory.Undone{Runs: 1}})
	events = append(append(events, question("fourth")...), end)
	its := visualized(t, events...)
	require.Len(t, its, 2)
	var last []string
	for _, m := range its[1].Prompt {
		last = append(last, m.Content)
	}
	all := strings.Join(last, "\n")
	require.Contains(t, all, "first")
	require.Contains(t, all, "fourth")
	require.NotContains(t, all, "second")
	require.NotContains(t, all, "third")
	require.Len(t, last, 3)
}

func TestAPauseIsNoWork(t *testing.T) {
	its := visualized(t, placed{0, "", 0, trajectory.RunStarted{Question: "q"}},
		placed{0, "", 1, trajectory.TurnStarted{}},
		placed{1, "", 1, replied("big", "ask", 1)}, placed{2, "", 1, trajectory.CellStarted{Cell: 1}},
		placed{3602, "", 0, trajectory.Resumed{Pause: time.Hour}}, placed{3602, "", 1, trajectory.CellStarted{Cell: 1}},
		placed{3604, "", 1, trajectory.CellEnded{Cell: 1, OK: true}}, placed{3605, "", 2, trajectory.TurnStarted{}},
		placed{3606, "", 2, replied("big", "x", 1)})
	require.InDelta(t, 4, its[0].Time, 0.01)
	require.InDelta(t, 2, its[0].Blocks[0].Result.Time, 0.01)
}

func TestWhatTheFormatHasNoPlaceFor(t *testing.T) {
	reply := replied("big", "cut he", 1)
	reply.Reasoning, reply.FinishReason = trajectory.T("hm"), "length"
	its := visualized(t, placed{0, "", 0, trajectory.ContextAdded{Size: 1500, Documents: 1}},
		placed{0, "", 0, trajectory.RunStarted{Question: "q"}},
		placed{0, "", 1, trajectory.TurnStarted{}}, placed{1, "", 1, reply},
		placed{1, "", 1, trajectory.CellStarted{Cell: 1}},
		placed{1, "", 1, trajectory.Nudged{Guard: "prose", Text: "write a cell"}},
		placed{1, "", 1, trajectory.LimitReached{Limit: "cost", Used: "$2", Bound: "$1"}})
	require.Equal(t, []string{"hm", "length"}, []string{its[0].Reasoning, its[0].Finish})
	require.Equal(t, []string{"The guard prose told the model: write a cell", "A limit was reached: cost, $2 of $1."},
		its[0].Notes)
	require.Equal(t, "context of 1.5 kB in 1 document", its[0].Blocks[0].Result.Locals["context"])
}
