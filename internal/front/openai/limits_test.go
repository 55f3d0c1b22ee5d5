package openai_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// as makes a request with a user's token.
func as(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func (s *site) user(name string, limits api.Limits) func(*http.Request) {
	s.t.Helper()
	token, err := api.OpenUsers(s.dir).Add(name, limits, time.Now())
	require.NoError(s.t, err)
	return as(token)
}

// TestADaysBudgetOfAKey: a key that has used up its daily budget is refused until the next day, over either API;
// others are not.
func TestADaysBudgetOfAKey(t *testing.T) {
	t.Parallel()
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		reply := obedient(req)
		reply.PromptTokens = 50_000 // 0.05 USD
		return reply
	})
	ann := s.user("ann", api.Limits{CostPerDay: 0.12})
	bob := s.user("bob", api.Limits{CostPerDay: 1})
	steps := object{"model": "rlm", "messages": says("do: x := 1 ;; x++ ;; x++ ;; x++ ;; FINAL(x)")}
	require.Equal(t, "cost_limit", s.refused(422, "POST", "v1/chat/completions", steps, ann).text("code"),
		"what is left of the day bounds the run")
	status, refused, header := s.send("POST", "v1/chat/completions", steps, ann)
	require.Equal(t, 429, status)
	require.Equal(t, "insufficient_quota", refused.at("error").text("code"))
	require.NotEmpty(t, header.Get("Retry-After"))
	id := s.call("GET", "api/v1/sessions", nil, ann).list("sessions")[0].text("id")
	status, _, header = s.send("POST", "api/v1/sessions/"+id+"/ask", object{"question": "x"}, ann)
	require.Equal(t, 429, status)
	require.NotEmpty(t, header.Get("Retry-After"))
	require.Equal(t, "4", s.chat(steps, bob).answer())
	s.chat(steps)

	audit, err := os.ReadFile(filepath.Join(s.dir, "server-audit.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(audit)), "\n")
	require.Len(t, lines, 3, "who asked; what was refused is not there")
	first := decoded(t, lines[0])
	require.Equal(t, []string{"ask", "ann", "openai", id},
		[]string{first.text("msg"), first.text("who"), first.text("api"), first.text("session")})
	require.NotContains(t, string(audit), "FINAL", "ids, no contents")
}

func TestRunsOfAKeyAtOnce(t *testing.T) {
	t.Parallel()
	arrived, opened := make(chan struct{}, 8), make(chan struct{})
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		arrived <- struct{}{}
		<-opened
		return obedient(req)
	})
	ann := s.user("ann", api.Limits{Runs: 1})
	ask := object{"model": "rlm", "input": "do: FINAL(1)", "background": true}
	s.call("POST", "v1/responses", ask, ann)
	<-arrived
	status, out, header := s.send("POST", "v1/responses", ask, ann)
	require.Equal(t, 429, status)
	require.Equal(t, "rate_limit_exceeded", out.at("error").text("code"))
	require.NotEmpty(t, header.Get("Retry-After"))
	close(opened)
}

// TestTheWaitOfTheModel: a client is told how long the model's own endpoint asks to wait.
func TestTheWaitOfTheModel(t *testing.T) {
	t.Parallel()
	slow := fakeapi.Failing(429, "too many requests")
	slow.Header = map[string]string{"Retry-After": "86400"}
	s := start(t, func(fakeapi.Request) fakeapi.Reply { return slow })
	status, out, header := s.send("POST", "v1/chat/completions", object{"model": "rlm", "messages": says("hi")})
	require.Equal(t, 429, status)
	require.Equal(t, "rate_limit_exceeded", out.at("error").text("code"))
	require.Equal(t, "86400", header.Get("Retry-After"))
}

// TestKeysSeeTheirOwn: answers, files, sessions and idempotency keys belong to the key that made them.
func TestKeysSeeTheirOwn(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	ann, bob := s.user("ann", api.Limits{}), s.user("bob", api.Limits{})
	mine := s.call("POST", "v1/responses", object{"model": "rlm", "input": "do: x := 7 ;; FINAL(x)"}, ann, key("k"))
	s.refused(404, "GET", "v1/responses/"+mine.text("id"), nil, bob)
	s.refused(400, "POST", "v1/responses",
		object{"model": "rlm", "input": "x", "previous_response_id": mine.text("id")}, bob)
	other := s.call("POST", "v1/responses", object{"model": "rlm", "input": "do: x := 7 ;; FINAL(x)"}, bob, key("k"))
	require.NotEqual(t, mine.at("rlm").text("session"), other.at("rlm").text("session"))
	chat := object{"model": "rlm", "messages": says("do: y := 1 ;; FINAL(y)", "1", "do: FINAL(len(history))")}
	s.chat(object{"messages": says("do: y := 1 ;; FINAL(y)")}, ann)
	require.Equal(t, "2", s.chat(chat, ann).answer())
	require.Equal(t, "0", s.chat(chat, bob).answer(), "the same words of somebody else lead to no notebook of ann's")
	status, _, _ := s.send("GET", "api/v1/sessions/"+mine.at("rlm").text("session"), nil, bob)
	require.Equal(t, 404, status)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	for _, path := range []string{"healthz", "readyz"} {
		res := s.open(t.Context(), "GET", path, nil, func(r *http.Request) { r.Header.Del("Authorization") })
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
	}
}

// TestQuestionsAtOnceShareADay: a question's call is reserved in the day's budget, so that others that would
// exceed it are not sent, however many are asked concurrently.
func TestQuestionsAtOnceShareADay(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 8, 12} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			var begun atomic.Int64
			refused := make(chan struct{})
			let := sync.OnceFunc(func() { close(refused) })
			defer let()
			s := start(t, func(req fakeapi.Request) fakeapi.Reply {
				if begun.Add(1) > 2 { // the owner's call, one of ann's, and an excess one
					let()
				} else if req.N > 0 {
					<-refused
				}
				return obedient(req)
			}, func(cfg *api.Config) { cfg.MaxRuns = n })
			body := func() object { return object{"model": "rlm", "messages": says("do: FINAL(7)")} }
			s.chat(body())
			one := prompt(s.model.Requests()[0]) * 1e-6
			ann := s.user("ann", api.Limits{CostPerDay: 1.5 * one})
			status := make(chan int, n)
			for range n {
				go func() {
					got, _, _ := s.send("POST", "v1/chat/completions", body(), ann)
					status <- got
				}()
			}
			for range n - 1 {
				require.Contains(t, []int{422, 429}, <-status)
			}
			let()
			require.Equal(t, 200, <-status)
			require.EqualValues(t, 2, begun.Load())
			require.Equal(t, "7", s.chat(body(), ann).answer(), "it cost less than was reserved")
		})
	}
}

// prompt estimates the tokens of a request's messages.
func prompt(req fakeapi.Request) float64 {
	var messages []llm.Message
	for _, m := range req.Messages {
		messages = append(messages, llm.Message{Role: llm.Role(m.Role), Content: m.Content})
	}
	return float64(llm.EstimateMessages(messages))
}

// TestAClientThatLeavesPays: what was sent for it counts towards its daily budget.
func TestAClientThatLeavesPays(t *testing.T) {
	t.Parallel()
	arrived, end := make(chan struct{}, 9), make(chan struct{})
	defer close(end)
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		if req.N > 0 {
			arrived <- struct{}{}
			<-end
		}
		r := obedient(req)
		r.PromptTokens = int(prompt(req)) // estimates are scaled by the last reported usage, so report an exact one
		return r
	})
	body := object{"model": "rlm", "stream": true, "messages": says("do: FINAL(7)")}
	res := s.open(t.Context(), "POST", "v1/chat/completions", body)
	events(t, res.Body)
	require.NoError(t, res.Body.Close())
	one := prompt(s.model.Requests()[0]) * 1e-6
	ann := s.user("ann", api.Limits{CostPerDay: 2.5 * one})
	for range 2 {
		ctx, leave := context.WithCancel(t.Context())
		res := s.open(ctx, "POST", "v1/chat/completions", body, ann)
		<-arrived
		leave()
		require.NoError(t, res.Body.Close())
	}
	require.Eventually(t, func() bool {
		cost := 0.0
		for _, session := range s.call("GET", "api/v1/sessions", nil, ann).list("sessions") {
			cost += session.num("cost")
		}
		return cost > 1.8*one
	}, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool {
		status, refused, _ := s.send(
			"POST", "v1/chat/completions", object{"model": "rlm", "messages": says("do: FINAL(7)")}, ann)
		return status == 429 && refused.at("error").text("code") == "insufficient_quota"
	}, time.Minute, 5*time.Millisecond, "the rest of the day has no room for a third")
}
