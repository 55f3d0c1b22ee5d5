package openai_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// as makes a request with the token of a user.
func as(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func (s *site) user(name string, limits server.Limits) func(*http.Request) {
	s.t.Helper()
	token, err := server.OpenUsers(s.dir).Add(name, limits, time.Now())
	require.NoError(s.t, err)
	return as(token)
}

// TestADaysBudgetOfAKey: a key that has spent what it may in a day is refused until the next, over either API, and others are not.
func TestADaysBudgetOfAKey(t *testing.T) {
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		reply := obedient(req)
		reply.PromptTokens = 50_000 // 0.05 USD
		return reply
	})
	ann := s.user("ann", server.Limits{CostPerDay: 0.12})
	bob := s.user("bob", server.Limits{CostPerDay: 1})
	steps := object{"model": "rlm", "messages": says("do: x := 1 ;; x++ ;; x++ ;; x++ ;; FINAL(x)")}
	out := s.chat(steps, ann)
	require.Equal(t, "cost_limit", out.at("rlm").text("status"), "what is left of the day bounds the run")
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
	require.Equal(t, []string{"ask", "ann", "openai", id}, []string{first.text("msg"), first.text("who"), first.text("api"), first.text("session")})
	require.NotContains(t, string(audit), "FINAL", "ids, no contents")
}

func TestRunsOfAKeyAtOnce(t *testing.T) {
	arrived, opened := make(chan struct{}, 8), make(chan struct{})
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		arrived <- struct{}{}
		<-opened
		return obedient(req)
	})
	ann := s.user("ann", server.Limits{Runs: 1})
	ask := object{"model": "rlm", "input": "do: FINAL(1)", "background": true}
	s.call("POST", "v1/responses", ask, ann)
	<-arrived
	status, out, header := s.send("POST", "v1/responses", ask, ann)
	require.Equal(t, 429, status)
	require.Equal(t, "rate_limit_exceeded", out.at("error").text("code"))
	require.NotEmpty(t, header.Get("Retry-After"))
	close(opened)
}

// TestKeysSeeTheirOwn: answers, files, sessions and idempotency keys are of the one whose key made them.
func TestKeysSeeTheirOwn(t *testing.T) {
	s := start(t, obedient)
	ann, bob := s.user("ann", server.Limits{}), s.user("bob", server.Limits{})
	mine := s.call("POST", "v1/responses", object{"model": "rlm", "input": "do: x := 7 ;; FINAL(x)"}, ann, key("k"))
	s.refused(404, "GET", "v1/responses/"+mine.text("id"), nil, bob)
	s.refused(400, "POST", "v1/responses", object{"model": "rlm", "input": "x", "previous_response_id": mine.text("id")}, bob)
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
	s := start(t, obedient)
	for _, path := range []string{"healthz", "readyz"} {
		res := s.open(t.Context(), "GET", path, nil, func(r *http.Request) { r.Header.Del("Authorization") })
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
	}
}
