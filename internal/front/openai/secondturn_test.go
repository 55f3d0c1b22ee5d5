package openai_test

import (
	"bufio"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestAChatFindsItsNotebook: a chat continues in its notebook although chat pages change the earlier messages; the
// response states whether it did.
func TestAChatFindsItsNotebook(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	clock := func(at string) object { return object{"role": "system", "content": "Time " + at} }
	first := says("do: x := \"a \\n\" ;; FINAL(x)")
	out := s.chat(object{"messages": append([]object{clock("10:00")}, first...)})
	require.Equal(t, "new", out.at("rlm").text("notebook"))
	require.Empty(t, out.at("rlm").text("notebook_reason"))
	id := out.at("rlm").text("session")

	second := says("do: x := \"a \\n\" ;; FINAL(x)", "a", "do: y := 2; FINAL(x + \"b\")")
	out = s.chat(object{"messages": append([]object{clock("10:01")}, second...)})
	require.Equal(t, []string{"kept", id}, []string{out.at("rlm").text("notebook"), out.at("rlm").text("session")})
	requests := s.model.Requests()
	sent, before := requests[len(requests)-1], requests[len(requests)-2]
	require.Contains(t, sent.Last(), "Time 10:01", "what the system says now comes at the end")
	for i, m := range before.Messages {
		require.Equal(t, m, sent.Messages[i], "the beginning of what the model is sent stays as it is")
	}
	answer := out.answer()

	left := says("do: y := 2; FINAL(x + \"b\")", answer, "do: FINAL(len(history))")
	status, out, header := s.send("POST", "v1/chat/completions", object{"model": "rlm", "messages": left})
	require.Equal(t, 200, status)
	require.Equal(t, []string{"kept", id, "kept"}, []string{
		out.at("rlm").text("notebook"),
		out.at("rlm").text("session"), header.Get("Rlm-Notebook"),
	}, "the oldest messages are left out")

	cut := s.chat(object{"messages": append(
		[]object{{"role": "assistant", "content": "a"}}, append(left, says("x", "y")[:0]...)...)})
	require.Equal(t, "forked", cut.at("rlm").text("notebook"),
		"cut between a question and its answer; the notebook has gone on")
	edited := s.chat(object{"messages": says("do: other", "a", "do: y := 2; FINAL(x + \"b\")", answer, "do: FINAL(1)")})
	require.Equal(t, "new", edited.at("rlm").text("notebook"),
		"a beginning that is another one is another conversation")
	require.Contains(t, edited.at("rlm").text("notebook_reason"), "this endpoint knows no answer")
}

// TestReferencesToItems: a client that keeps ids instead of answers can continue, but only its own answers.
func TestReferencesToItems(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	ann, bob := s.user("ann", api.Limits{}), s.user("bob", api.Limits{})
	ask := func(text string) object { return object{"role": "user", "content": text} }
	respond := func(body object, as func(*http.Request)) object {
		body["model"] = "rlm"
		return s.call("POST", "v1/responses", body, as)
	}
	first := respond(object{"input": "do: x := 1 ;; FINAL(x)"}, ann)
	item := first.list("output")[0].text("id")
	thought := "rs_" + strings.TrimPrefix(item, "msg_")
	input := []object{
		ask("do: x := 1 ;; FINAL(x)"),
		{"type": "item_reference", "id": thought},
		{"type": nil, "id": item},
		ask("do: x++; FINAL(x)"),
	}
	second := respond(object{"input": input}, ann)
	require.Equal(t, "2", second.list("output")[0].list("content")[0].text("text"))
	require.Equal(t, first.at("rlm").text("session"), second.at("rlm").text("session"))
	for _, id := range []string{"msg_x", "x", item} {
		e := s.refused(404, "POST", "v1/responses",
			object{"model": "rlm", "input": []object{{"type": "item_reference", "id": id}, ask("x")}}, bob)
		require.Equal(t, "item_not_found", e.text("code"))
	}
	items := s.call("GET", "v1/responses/"+first.text("id")+"/input_items", nil, ann)
	require.Equal(t, "do: x := 1 ;; FINAL(x)", items.list("data")[0].list("content")[0].text("text"))
	require.Equal(t, items.list("data")[0].text("id"), items.text("first_id"))
	s.refused(404, "GET", "v1/responses/"+first.text("id")+"/input_items", nil, bob)

	unstored := respond(object{"input": "do: z := 1 ;; FINAL(z)", "store": false}, ann)
	require.Equal(t, false, unstored["store"])
	s.refused(404, "GET", "v1/responses/"+unstored.text("id"), nil, ann)
	s.refused(400, "POST", "v1/responses",
		object{"model": "rlm", "input": "x", "previous_response_id": unstored.text("id")}, ann)
	again := respond(object{
		"store": false,
		"input": []any{ask("do: z := 1 ;; FINAL(z)"), unstored.list("output")[0], ask("do: z++; FINAL(z)")},
	}, ann)
	require.Equal(t, "2", again.list("output")[0].list("content")[0].text("text"),
		"who sends everything again goes on with the notebook")
}

// TestHarmlessParametersAreNamed: parameters that do not change the answer are ignored, and the client is told.
func TestHarmlessParametersAreNamed(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	status, out, header := s.send("POST", "v1/chat/completions", []byte(`{"model":"rlm","messages":[{"role":"user","content":"do: FINAL(1)"}],
		"seed":0,"top_p":0.5,"stop":"","n":1.0,"presence_penalty":0e0,"frequency_penalty":0.1,"verbosity":"low","top_k":40,"min_p":0.1,"keep_alive":"5m"}`))
	require.Equal(t, 200, status, out)
	require.Equal(t, "seed, top_p, frequency_penalty, verbosity, top_k, min_p, keep_alive", header.Get("Rlm-Ignored"))
	require.Len(t, out.at("rlm")["ignored"], 7)
	status, out, header = s.send("POST", "v1/responses",
		object{"model": "rlm", "input": "do: FINAL(1)", "top_p": 0.5, "text": object{"verbosity": "low"}})
	require.Equal(t, 200, status, out)
	require.Equal(t, "top_p, text.verbosity", header.Get("Rlm-Ignored"))
	tools := []object{{"type": "function", "function": object{"name": "f"}}}
	status, out, header = s.send("POST", "v1/chat/completions",
		object{"model": "rlm", "messages": says("do: FINAL(1)"), "tools": tools, "tool_choice": "none"})
	require.Equal(t, 200, status, out)
	require.Equal(t, "tools", header.Get("Rlm-Ignored"))
	s.refused(400, "POST", "v1/chat/completions",
		object{"model": "rlm", "messages": says("x"), "tools": tools, "tool_choice": "auto"})
	parts := []object{{"type": "text", "text": "1", "role": "assistant", "refusal": nil}}
	require.Equal(t, "2", s.chat(object{"messages": []object{
		{"role": "user", "content": "do: FINAL(1)"},
		{"role": "assistant", "content": parts},
		{"role": "user", "content": "do: FINAL(2)"},
	}}).answer(), "clients send back what they made of an answer")
}

// TestErrorsHaveARequestID: errors have an id, and the response to a wrong method lists the right ones.
func TestErrorsHaveARequestID(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	_, _, header := s.send("POST", "v1/chat/completions", object{"model": "other"})
	require.True(t, strings.HasPrefix(header.Get("X-Request-Id"), "req_"))
	status, out, header := s.send("GET", "v1/chat/completions", nil)
	require.Equal(t, 405, status)
	require.Equal(t, "POST", header.Get("Allow"))
	require.Contains(t, out.at("error").text("message"), "takes POST")
	status, _, header = s.send("PUT", "v1/responses/x", nil)
	require.Equal(t, 405, status)
	require.Equal(t, "GET, DELETE", header.Get("Allow"))
}

// TestARequestThatIsSentAgainIsOneQuestion: a request that is sent again is the same question if the client marks
// retries, even after it gave up waiting.
func TestARequestThatIsSentAgainIsOneQuestion(t *testing.T) {
	t.Parallel()
	answer, arrived, open := gate(t)
	s := start(t, answer)
	body := object{"model": "rlm", "messages": says("do: x := 1 ;; FINAL(x+1)")}
	try := func(n string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("X-Stainless-Retry-Count", n)
			r.Header.Set("X-Stainless-Timeout", "0")
		}
	}
	s.abandon(body, arrived, try("0"))
	open()
	first := s.chat(body, try("1"))
	require.Equal(t, "2", first.answer())
	require.Equal(t, first.text("id"), s.chat(body, try("2")).text("id"), "the answer was lost on its way")
	second := s.chat(object{"messages": says("do: x := 1 ;; FINAL(x+1)", "2", "do: FINAL(x+2)")})
	require.Equal(t, []string{"3", "kept"}, []string{second.answer(), second.at("rlm").text("notebook")},
		"the notebook of a run that was resumed is found again")
	require.Len(t, s.call("GET", "api/v1/sessions", nil).list("sessions"), 1)
	require.NotEqual(t, first.text("id"), s.chat(body, try("0")).text("id"), "another question in the same words")
	other := s.chat(object{"messages": says("do: FINAL(3)")}, try("1"))
	require.Equal(t, "3", other.answer(), "nothing like it came before")
}

// TestAnswersComeInPieces: no line of a stream is too long for line readers.
func TestAnswersComeInPieces(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	cell := `do: FINAL(strings.Repeat("abc <&> ", 20000))`
	want := strings.Repeat("abc <&> ", 20000)
	res := s.open(t.Context(), "POST", "v1/chat/completions",
		object{"model": "rlm", "stream": true, "messages": says(cell)})
	defer res.Body.Close()
	got := ""
	lines := bufio.NewScanner(res.Body) // a Scanner's limit is 64 KiB a line
	for lines.Scan() {
		require.Less(t, len(lines.Bytes()), 16<<10)
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if ok {
			for _, c := range decoded(t, "{"+data).list("choices") {
				got += c.at("delta").text("content")
			}
		}
	}
	require.NoError(t, lines.Err())
	require.Equal(t, want, got)
	res = s.open(t.Context(), "POST", "v1/responses", object{"model": "rlm", "stream": true, "input": cell})
	defer res.Body.Close()
	_, data := events(t, res.Body)
	got = ""
	for _, d := range data {
		e := decoded(t, d)
		if strings.HasSuffix(e.text("type"), ".delta") {
			require.Less(t, len(d), 16<<10)
		}
		if e.text("type") == "response.output_text.delta" {
			got += e.text("delta")
		}
	}
	require.Equal(t, want, got)
}

// TestLongPartsOfEveryKind: texts, files and base64 become documents, also when the second turn sends them again.
func TestLongPartsOfEveryKind(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	text := strings.Repeat("needle \"quoted\" \\ 漢\n", 3000)
	data := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("straw\n", 3000)))
	parts := []object{
		{"type": "text", "text": text},
		{"type": "file", "file": object{"filename": "a.txt", "file_data": "data:text/plain;base64," + data}},
		{"type": "file", "file": object{"filename": "b.txt", "file_data": data}},
		{"type": "text", "text": `do: FINAL(fmt.Sprint(strings.Count(context, "needle \"quoted\" \\ 漢"), " ", strings.Count(context, "straw"), " ", len(docs)))`},
	}
	question := object{"role": "user", "content": parts}
	first := s.chat(object{"messages": []object{question}})
	require.Equal(t, "3000 6000 3", first.answer())
	second := s.chat(object{"messages": []object{
		question,
		{"role": "assistant", "content": first.answer()},
		{"role": "user", "content": "do: FINAL(len(docs))"},
	}})
	require.Equal(t, "3", second.answer())
	require.Equal(t, "kept", second.at("rlm").text("notebook"))
	e := s.refused(400, "POST", "v1/chat/completions",
		object{"model": "rlm", "messages": []object{{"role": "user", "content": []object{
			{"type": "file", "file": object{"filename": "a.txt", "file_data": "data:text/plain," + data}},
		}}}})
	require.Contains(t, e.text("message"), "base64")
	e = s.refused(400, "POST", "v1/chat/completions",
		object{"model": "rlm", "messages": []object{{"role": "user", "content": []object{
			{"type": "file", "file": object{"filename": "a.txt", "file_data": data + "*"}},
		}}}})
	require.Contains(t, e.text("message"), "base64")
}

// TestADayThatAllowsForNoCall: if the day's budget is too small for a call, the request is refused, and is not an
// empty success.
func TestADayThatAllowsForNoCall(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	ann := s.user("ann", api.Limits{CostPerDay: 1e-5})
	for _, path := range []string{"chat/completions", "responses"} {
		body := object{"model": "rlm", "messages": says("do: FINAL(1)")}
		if path == "responses" {
			body = object{"model": "rlm", "input": "do: FINAL(1)"}
		}
		status, out, header := s.send("POST", "v1/"+path, body, ann)
		require.Equal(t, 429, status, out)
		require.Equal(t, "insufficient_quota", out.at("error").text("code"))
		require.NotEmpty(t, header.Get("Retry-After"))
	}
	require.Empty(t, s.model.Requests())
}
