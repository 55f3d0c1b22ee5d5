package budget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// dollars prices the model m at $1 per prompt token and $2 per reply token; other models have no known price.
var dollars = llm.Prices{"m": {Input: 1_000_000, Output: 2_000_000}}

func used(prompt, completion int64) trajectory.Usage {
	return trajectory.Usage{Prompt: prompt, Completion: completion}
}

func priced(prompt, completion int64) trajectory.Usage {
	cost := float64(prompt + 2*completion)
	u := used(prompt, completion)
	u.Cost, u.CostFrom = &cost, "table"
	return u
}

// spend makes a call of the model m and settles it.
func spend(t *testing.T, l *Lease, c Call) {
	t.Helper()
	h, err := l.Reserve(atOnce(), "m", 0, 0, !c.Turn)
	require.NoError(t, err)
	c.Model = "m"
	l.Settle(h, c)
}

// A limit is hit when it is reached, not before; a call whose prompt just fits is made.
func TestWhatIsJustWithinALimit(t *testing.T) {
	for name, c := range map[string]struct {
		bounds Bounds
		used   trajectory.Usage
		prompt int64
		fits   bool
		error  string // the error with its status; empty if the call is made
		status termination.Status
	}{
		"no bounds":       {Bounds{}, priced(1000, 1000), 1000, true, "", ""},
		"tokens that fit": {Bounds{Tokens: 10}, used(3, 2), 5, true, "", ""},
		"tokens that do not": {
			Bounds{Tokens: 10},
			used(3, 2), 6, false,
			"has no room for the call: tokens (5 of 10, and the prompt alone takes about 6)", termination.TokenLimit,
		},
		"no tokens are left": {
			Bounds{Tokens: 10},
			used(7, 3), 1, false,
			"is used up: tokens (10 of 10)", termination.TokenLimit,
		},
		"wasted tokens count": {
			Bounds{Tokens: 10},
			trajectory.Usage{Prompt: 1, Completion: 2, Wasted: 3},
			5, false,
			"tokens (6 of 10", termination.TokenLimit,
		},
		"one reply token left": {Bounds{Completion: 10}, used(100, 9), 100, true, "", ""},
		"replies are used up": {
			Bounds{Completion: 10},
			used(0, 10), 0, false,
			"is used up: tokens of replies (10 of 10)", termination.TokenLimit,
		},
		"a cost that fits": {Bounds{Cost: 10}, priced(2, 1), 6, true, "", ""},
		"a cost that does not": {
			Bounds{Cost: 10},
			priced(2, 1), 7, false,
			"cost ($4.00 of $10.00, and the prompt alone takes about $7.00)", termination.CostLimit,
		},
		"the cost is used up": {
			Bounds{Cost: 10},
			priced(2, 4), 1, false,
			"is used up: cost ($10.00 of $10.00)", termination.CostLimit,
		},
		"what is held counts in": {Bounds{Tokens: 10, Cost: 10}, priced(1, 2), 5, true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLease(c.bounds, dollars, 0)
			spend(t, l, Call{Usage: c.used})
			h, err := l.Reserve(atOnce(), "m", c.prompt, 0, true)
			require.Equal(t, c.fits, err == nil, err)
			if c.fits {
				require.Equal(t, Hold{prompt: c.prompt, promptCost: float64(c.prompt)}, h)
				require.Nil(t, l.Exceeded("m", 0, true))
				return
			}
			require.ErrorContains(t, err, c.error)
			var limit *Limit
			require.ErrorAs(t, err, &limit)
			require.Equal(t, c.status, limit.Status)
			require.Same(t, limit, l.Exceeded("m", 0, false), "what refused a call is the limit from then on")
			_, again := l.Reserve(atOnce(), "m", 0, 0, false)
			require.Equal(t, err, again)
			require.False(t, l.Grants())
			require.Same(t, limit, l.Refuse())
		})
	}
}

func TestSubCallsAreCountedBelowTheRootOnly(t *testing.T) {
	l := NewLease(Bounds{SubCalls: 2}, nil, 0)
	spend(t, l, Call{Turn: true})
	require.True(t, l.Grants())
	spend(t, l, Call{})
	require.Nil(t, l.Exceeded("m", 0, true))
	require.True(t, l.Grants())
	spend(t, l, Call{})
	require.False(t, l.Grants())
	require.Nil(t, l.Exceeded("m", 0, false), "turns of the root go on")
	require.Equal(t, "the budget of this run is used up: sub-calls (2 of 2)", l.Exceeded("m", 0, true).Error())
	require.Equal(t, "sub-calls", l.Refuse().Name)
	require.NotNil(t, l.Exceeded("m", 0, false), "a sub-call was refused")
	calls, tokens, cost, _ := l.Spent()
	require.EqualValues(t, 2, calls)
	require.Zero(t, tokens)
	require.Zero(t, cost)

	open := NewLease(Bounds{}, nil, 0)
	require.Nil(t, open.Refuse())
	require.True(t, open.Grants())
}

// A prompt that would exceed a budget does not block smaller ones.
func TestALargePromptRefusesNoSmallOne(t *testing.T) {
	l := NewLease(Bounds{Tokens: 10}, nil, 0)
	require.NotNil(t, l.Exceeded("m", 11, false))
	require.Nil(t, l.Exceeded("m", 10, false))
}

func TestARepliesRoomIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		bounds               Bounds
		held, prompt, reply  int64 // prompts held by a turn and by the call, and the call's limit
		granted              int64
		usedPrompt, usedRest int64
	}{
		"it fits": {
			bounds: Bounds{Tokens: 100, Cost: 1000}, held: 10, prompt: 20, reply: 70, granted: 70,
		},
		"what is left in tokens": {bounds: Bounds{Tokens: 100}, held: 10, prompt: 20, reply: 71, granted: 70},
		"after what was used": {
			bounds: Bounds{Tokens: 100}, held: 10, prompt: 20, reply: 71, granted: 59, usedPrompt: 5, usedRest: 6,
		},
		"a token at least":        {bounds: Bounds{Tokens: 30}, held: 10, prompt: 20, reply: 5, granted: 1},
		"what is left in dollars": {bounds: Bounds{Cost: 100}, held: 10, prompt: 20, reply: 36, granted: 35},
		"the dollars are enough":  {bounds: Bounds{Cost: 100}, held: 10, prompt: 20, reply: 35, granted: 35},
		"dollars that were used": {
			bounds: Bounds{Cost: 100}, held: 10, prompt: 20, reply: 36, granted: 31, usedPrompt: 2, usedRest: 3,
		},
		"the smaller of both": {
			bounds: Bounds{Tokens: 60, Cost: 100}, held: 10, prompt: 20, reply: 50, granted: 30,
		},
		"a token for no dollar":   {bounds: Bounds{Cost: 30}, held: 10, prompt: 20, reply: 5, granted: 1},
		"no bound":                {bounds: Bounds{}, held: 10, prompt: 20, reply: 1 << 40, granted: 1 << 40},
		"a reply without a bound": {bounds: Bounds{Tokens: 30, Cost: 30}, held: 10, prompt: 20, reply: 0, granted: 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLease(c.bounds, dollars, 0)
			spend(t, l, Call{Usage: priced(c.usedPrompt, c.usedRest)})
			turn := l.HoldTurn("m", c.held)
			h, err := l.Reserve(atOnce(), "m", c.prompt, c.reply, true)
			require.NoError(t, err)
			require.Equal(t, c.granted, h.Reply)
			if c.bounds.Cost > 0 {
				require.InDelta(t, 2*c.granted, h.replyCost, 1e-9)
			}

			left := l.Left(0)
			if c.bounds.Tokens > 0 {
				require.Equal(t, c.bounds.Tokens-c.held-c.prompt-c.usedPrompt-c.usedRest, left.Tokens)
			}
			if c.bounds.Cost > 0 {
				require.InDelta(t, c.bounds.Cost-float64(c.held+c.prompt+c.usedPrompt+2*c.usedRest), left.Cost, 1e-9)
			}
			l.Settle(h, Call{})
			l.Settle(turn, Call{Turn: true})
			require.Equal(t, Hold{}, l.held, "all is given back")
		})
	}
}

// For a model without a price only tokens are reserved.
func TestHoldsOfAModelWithoutAPrice(t *testing.T) {
	l := NewLease(Bounds{Cost: 1, Tokens: 100}, dollars, 0)
	h, err := l.Reserve(atOnce(), "other", 50, 60, false)
	require.NoError(t, err)
	require.Equal(t, Hold{prompt: 50, Reply: 50}, h)
}

// If only the replies of calls in flight are in the way, a call waits until one of them is settled.
func TestACallWaitsForRepliesUnderWay(t *testing.T) {
	for name, bounds := range map[string]Bounds{"tokens": {Tokens: 100}, "dollars": {Cost: 189}} {
		synctest.Test(t, func(t *testing.T) {
			l := NewLease(bounds, dollars, 0)
			first, err := l.Reserve(atOnce(), "m", 10, 80, true)
			require.NoError(t, err)
			granted := make(chan Hold)
			go func() {
				h, err := l.Reserve(context.Background(), "m", 10, 5, true)
				assert.NoError(t, err)
				granted <- h
			}()
			synctest.Wait()
			select {
			case h := <-granted:
				require.Fail(t, "granted while there is no room", "%s: %+v", name, h)
			default:
			}
			l.Settle(first, Call{Model: "m", Usage: priced(10, 1)})
			require.EqualValues(t, 5, (<-granted).Reply, name)

			ctx, cancel := context.WithCancelCause(context.Background())
			refused := make(chan error)
			go func() {
				_, err := l.Reserve(ctx, "m", 10, 1000, true)
				refused <- err
			}()
			synctest.Wait()
			stopped := errors.New("stopped")
			cancel(stopped)
			require.ErrorIs(t, <-refused, stopped)
		})
	}
}

// Calls that fill a budget to the last token or dollar do not wait for each other.
func TestRepliesThatJustFitAreUnderWayTogether(t *testing.T) {
	for name, bounds := range map[string]Bounds{"tokens": {Tokens: 100}, "dollars": {Cost: 160}} {
		l := NewLease(bounds, dollars, 0)
		_, err := l.Reserve(atOnce(), "m", 10, 20, true)
		require.NoError(t, err, name)
		h, err := l.Reserve(atOnce(), "m", 30, 40, true)
		require.NoError(t, err, name)
		require.EqualValues(t, 40, h.Reply, name)
		_, err = l.Reserve(atOnce(), "m", 0, 1, true)
		require.ErrorIs(t, err, context.Canceled, "%s: there is no room for one more", name)
	}
}

// Costs are float sums, which leave a remainder when all replies are settled. No call waits for that remainder.
func TestACallWaitsForNoRestOfACost(t *testing.T) {
	l := NewLease(Bounds{Cost: 1}, llm.Prices{"m": {Output: 100_000}}, 0)
	l.HoldTurn("m", 1)
	one, err := l.Reserve(atOnce(), "m", 1, 1, true)
	require.NoError(t, err)
	two, err := l.Reserve(atOnce(), "m", 1, 2, true)
	require.NoError(t, err)
	l.Settle(one, Call{})
	l.Settle(two, Call{})
	require.NotZero(t, l.held.replyCost)
	h, err := l.Reserve(atOnce(), "m", 1, 100, true)
	require.NoError(t, err)
	require.Less(t, h.Reply, int64(11), "what is left")
}

// Prompts in flight count against a budget before they are paid.
func TestPromptsUnderWayCount(t *testing.T) {
	for name, bounds := range map[string]Bounds{"tokens": {Tokens: 10}, "dollars": {Cost: 10}} {
		l := NewLease(bounds, dollars, 0)
		turn := l.HoldTurn("m", 4)
		require.Nil(t, l.Exceeded("m", 6, false), name)
		require.NotNil(t, l.Exceeded("m", 7, false), name)
		l.Settle(turn, Call{Turn: true})
		require.Nil(t, l.Exceeded("m", 10, false), name)
	}
}

func TestRecordedTextsAreBounded(t *testing.T) {
	l := NewLease(Bounds{Recorded: 10}, nil, 0)
	require.Nil(t, l.Record(4))
	require.Nil(t, l.Record(6))
	limit := l.Record(1)
	require.Equal(t, "the budget of this run is used up: recorded texts (10 bytes of 10 bytes)", limit.Error())
	require.Empty(t, limit.Status)
	require.True(t, l.Grants(), "it ends no run")
	require.Nil(t, NewLease(Bounds{}, nil, 0).Record(1<<40))
}

func TestTheClockOfALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLease(Bounds{Time: time.Minute}, nil, 10*time.Second)
		require.Equal(t, time.Now().Add(50*time.Second), l.Deadline())
		time.Sleep(50*time.Second - time.Nanosecond)
		require.Nil(t, l.Exceeded("m", 0, false))
		require.EqualValues(t, 1, l.Left(0).Time)
		time.Sleep(time.Nanosecond)
		require.Equal(t, "the budget of this run is used up: time (1m0s of 1m0s)", l.Exceeded("m", 0, false).Error())
		_, _, _, elapsed := l.Spent()
		require.Equal(t, time.Minute, elapsed)
		time.Sleep(time.Second)
		require.Zero(t, l.Left(0).Time)

		open := NewLease(Bounds{}, nil, 0)
		require.True(t, open.Deadline().IsZero())
		time.Sleep(24 * time.Hour)
		require.Nil(t, open.Exceeded("m", 0, false))
	})
}

func TestLeftAfterATurn(t *testing.T) {
	l := NewLease(Bounds{Turns: 5, SubCalls: 3, Tokens: 100, Cost: 50}, dollars, 0)
	require.False(t, l.Left(0).CostKnown, "nothing was used")
	spend(t, l, Call{Turn: true})
	require.False(t, l.Left(0).CostKnown, "a turn that failed used nothing")
	spend(t, l, Call{Usage: priced(10, 5)})
	left := l.Left(2)
	require.Equal(t, prompts.RemainingBudget{
		Turns: 3, MaxTurns: 5, SubCalls: 2, MaxSubCalls: 3, Tokens: 85, MaxTokens: 100, Cost: 30, MaxCost: 50,
		CostKnown: true,
	}, left)
	spend(t, l, Call{Usage: used(10, 200)})
	left = l.Left(9)
	require.Zero(t, left.Turns)
	require.Zero(t, left.Tokens)
	require.False(t, left.CostKnown, "a call had no price")
}

// event makes an event of the run at a path.
func event(path string, d trajectory.Data) trajectory.Event {
	return trajectory.Event{Path: path, Data: d}
}

// A resumed run has used whatever its log contains: turns and sub-calls, but not tool calls, and nothing cached or
// unsent. The calls of a child run count, but not the call that started it.
func TestRecall(t *testing.T) {
	text := trajectory.T("12345")
	events := []trajectory.Event{
		event("", trajectory.ReplyReceived{Model: "m", Usage: priced(10, 1), Duration: time.Second}),
		event("", trajectory.ContextAdded{Text: text}),
		event("", trajectory.SubCallStarted{Cell: 1, Hash: "a", Prompt: text}),
		event("", trajectory.SubCallStarted{Cell: 1, Hash: "child", Child: "1.1/1"}),
		event("", trajectory.SubCallStarted{Cell: 1, Hash: "tool", Tool: "search"}),
		event("1.1/1", trajectory.ReplyReceived{Model: "s", Usage: used(20, 2), Duration: time.Hour}),
		event("1.1/1", trajectory.SubCallEnded{Cell: 1, Hash: "x", Model: "s", Usage: used(30, 3)}),
		event("1.1/1.1/1", trajectory.ReplyReceived{Model: "m", Usage: priced(40, 4)}),
		event("1.10/1", trajectory.ReplyReceived{Model: "m", Usage: priced(50, 5)}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "a", Model: "m", Usage: priced(2, 1), Reply: text}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "child", Model: "m", Usage: priced(1000, 1)}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "tool", Model: "m", Usage: priced(1000, 1)}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "unwound", Model: "m", Unwind: true}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "cached", Model: "m", Cached: true}),
		event("", trajectory.SubCallEnded{Cell: 1, Hash: "nobody", Error: "no"}),
	}
	l := NewLease(Bounds{Recorded: 16}, dollars, 0)
	l.Recall(events)
	calls, tokens, cost, _ := l.Spent()
	require.EqualValues(t, 5, calls, "two sub-calls and three turns of children")
	require.EqualValues(t, 11+22+33+44+55+3, tokens)
	require.InDelta(t, 12+48+60+4, cost, 1e-9)
	require.Nil(t, l.Record(1), "three texts of five bytes are in the log")
	require.NotNil(t, l.Record(1))

	root := l.Tally("")
	require.EqualValues(t, 5, root.SubCalls)
	require.Equal(t, time.Second, root.ModelTime)
	require.Equal(t, []string{"s"}, root.Unpriced)
	require.InDelta(t, 12+48+60+4, *root.Cost, 1e-9)
	require.EqualValues(t, 102, root.Usage["m"].Prompt)

	child := l.Tally("1.1/1")
	require.EqualValues(t, 2, child.SubCalls, "its sub-call and the turn of its child, not the run beside it")
	require.Equal(t, time.Hour, child.ModelTime)
	require.EqualValues(t, 50, child.Usage["s"].Prompt)
	require.EqualValues(t, 40, child.Usage["m"].Prompt)
	require.InDelta(t, 48, *child.Cost, 1e-9)

	require.Nil(t, l.Tally("1.1/1").Usage["s"].Cost)
	require.Equal(t, map[string]trajectory.Usage{"m": root.Usage["m"], "s": root.Usage["s"]}, Totals(events))
}

func TestCostOfUsages(t *testing.T) {
	sum, known := Cost(nil)
	require.True(t, known)
	require.Zero(t, sum)
	_, known = Cost(map[string]trajectory.Usage{"s": used(1, 1)})
	require.False(t, known)
	sum, known = Cost(map[string]trajectory.Usage{"s": used(1, 1), "m": priced(1, 1), "n": priced(2, 2)})
	require.True(t, known)
	require.InDelta(t, 9, sum, 1e-9)
}

func TestSumOfUsages(t *testing.T) {
	one, two := 1.0, 2.0
	a := trajectory.Usage{
		Prompt: 1, Completion: 2, Reasoning: 3, Cached: 4, CacheWritten: 5, CacheWrittenHour: 6, Wasted: 7, Cost: &one,
		CostFrom: "table",
	}
	b := trajectory.Usage{
		Prompt: 10, Completion: 20, Reasoning: 30, Cached: 40, CacheWritten: 50, CacheWrittenHour: 60, Wasted: 70,
		Estimated: true,
		Cost:      &two, CostFrom: "endpoint",
	}
	three := 3.0
	require.Equal(t, trajectory.Usage{
		Prompt: 11, Completion: 22, Reasoning: 33, Cached: 44, CacheWritten: 55, CacheWrittenHour: 66, Wasted: 77,
		Estimated: true,
		Cost:      &three, CostFrom: "endpoint and table",
	}, a.Plus(b))
	require.Equal(t, b, trajectory.Usage{}.Plus(b))
	require.Equal(t, "table", a.Plus(a).CostFrom)
	require.True(t, b.Plus(a).Estimated)
	for _, c := range [][2]trajectory.Usage{{a, used(1, 1)}, {used(1, 1), a}} {
		sum := c[0].Plus(c[1])
		require.Nil(t, sum.Cost)
		require.Empty(t, sum.CostFrom)
	}
}

func TestPricedIsByTheModelThatAnswered(t *testing.T) {
	u := Priced(dollars, "other", llm.Response{By: "m", Usage: llm.Usage{
		Prompt: 1, Completion: 2, Reasoning: 3, Cached: 0, CacheWritten: 0, Wasted: 7, Estimated: true,
	}})
	require.InDelta(t, 12, *u.Cost, 1e-9)
	require.Equal(t, "table", u.CostFrom)
	u.Cost, u.CostFrom = nil, ""
	require.Equal(t, trajectory.Usage{Prompt: 1, Completion: 2, Reasoning: 3, Wasted: 7, Estimated: true}, u)
}
