package llm_test

import (
	"context"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// Another model answers after some kinds of failure; readers get a delta that reports the switch.
func TestWhenAnotherModelAnswers(t *testing.T) {
	for kind, passes := range map[llm.ErrorKind]bool{
		llm.ErrQuota: true, llm.ErrUnavailable: true, llm.ErrRateLimit: true, llm.ErrNoReply: true,
		llm.ErrAuth: false, llm.ErrBadRequest: false, llm.ErrContextTooLong: false, llm.ErrContentFilter: false,
		llm.ErrCancelled: false,
	} {
		asked := 0
		first := llm.ScriptedFunc("first", func(context.Context, llm.Request, int) (llm.Response, error) {
			asked++
			return llm.Response{}, &llm.Error{Kind: kind, Message: "no"}
		})
		both := llm.NewFallback(first, llm.NewScripted("second", "ok", "again"))
		require.Equal(t, "first", both.Name())
		g := &gather{}
		resp, err := both.Generate(t.Context(), ask("hi"), g.on)
		if !passes {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "second", resp.By)
		require.Equal(t, "ok", g.content)
		require.Equal(t, &llm.ModelSwitch{From: "first", To: "second", Reason: kind}, g.deltas[0].Fallback)
		resp, err = both.Generate(t.Context(), ask("hi"), nil)
		require.NoError(t, err)
		require.Equal(t, "again", resp.Content)
		require.Equal(t, 1, asked, "one that just failed so is not asked again at once")
	}
}

// When a reply breaks off, its pieces are discarded before another model starts over.
func TestPiecesOfAnotherModelAreTakenBack(t *testing.T) {
	broken := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{
		Content: "a reply that breaks off somewhere in the middle of it all", Fault: fakeapi.Drop, Pieces: 1,
	}})
	whole := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "whole"}})
	both := llm.NewFallback(client(t, broken, func(c *llm.Config) { c.Tries = 1 }), claude(t, whole))
	resp, g := generate(t, both, ask("hi"))
	require.Equal(t, "whole", resp.Content)
	require.Equal(t, 1, g.restarts)
	require.Len(t, both.Models(), 2)
}

// If all models fail, the error is that of the last one. The usage of models that failed before another one
// answered is part of its response.
func TestWhatModelsBeforeUsedIsCounted(t *testing.T) {
	broken := events(`{"choices":[{"delta":{"content":"half"}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"abort"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"cost":0.5}}`)
	try := func(r fakeapi.Reply) *llm.Client {
		return client(t, fakeapi.Start(fakeapi.Rule{Times: -1, Reply: r}), func(cfg *llm.Config) { cfg.Tries = 2 })
	}
	resp, err := llm.NewFallback(try(broken), try(fakeapi.Reply{Content: "ok"})).Generate(t.Context(), ask("hi"), nil)
	require.NoError(t, err)
	require.InDelta(t, 1, *resp.Waste.Cost, 1e-9)
	require.EqualValues(t, 30, resp.Usage.Wasted)
	_, err = llm.NewFallback(try(broken), try(broken)).Generate(t.Context(), ask("hi"), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.InDelta(t, 2, *e.Waste.Cost, 1e-9)
}

func TestNobodyAnswers(t *testing.T) {
	down := func(name string) llm.Model {
		return llm.ScriptedFunc(name, func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Kind: llm.ErrUnavailable, Message: name + " is down"}
		})
	}
	resp, _ := generate(t, llm.NewFallback(llm.NewScripted("a", "ok"), down("b")), ask("hi"))
	require.Empty(t, resp.By, "the one that was asked needs no name")
	both := llm.NewFallback(down("a"), down("b"))
	for range 2 {
		e := failure(t, both, ask("hi"))
		require.Equal(t, []string{"b is down", "b"}, []string{e.Message, e.By})
	}
	require.Empty(t, failure(t, llm.NewFallback(down("a")), ask("hi")).By)
}
