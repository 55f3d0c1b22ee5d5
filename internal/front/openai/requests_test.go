package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// TestOneKeyOneRun: requests with the same key share one run and one answer, whether they come together or later.
func TestOneKeyOneRun(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	body := func() object { return object{"messages": says("do: FINAL(llm_query(\"hi\"))")} }
	var answers sync.Map
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { answers.Store(s.chat(body(), key("k")).text("id"), true) })
	}
	all.Wait()
	answers.Store(s.chat(body(), key("k")).text("id"), true)
	n := 0
	answers.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 1, n, "ids of answers")
	require.Len(t, s.model.Requests(), 2)

	other := body()
	other["model"], other["temperature"] = "rlm", 0.5
	require.Equal(t, "idempotency_error", s.refused(400, "POST", "v1/chat/completions", other, key("k")).text("type"))
	s.chat(body(), key("another"))
	require.Len(t, s.model.Requests(), 4)
}

// gate makes a model that waits in a turn's reply until it may continue.
func gate(t *testing.T) (answer func(fakeapi.Request) fakeapi.Reply, arrived chan struct{}, open func()) {
	arrived, opened := make(chan struct{}, 64), make(chan struct{})
	open = sync.OnceFunc(func() { close(opened) })
	t.Cleanup(open)
	return func(req fakeapi.Request) fakeapi.Reply {
		arrived <- struct{}{}
		<-opened
		return obedient(req)
	}, arrived, open
}

// TestAClientThatGoesAwayCancels: its run is stopped and can continue with the same key, which repeats no recorded
// call; a background run is not stopped.
func TestAClientThatGoesAwayCancels(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	arrived, opened := make(chan struct{}, 1), make(chan struct{})
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		if asked.Add(1) == 2 {
			arrived <- struct{}{}
			<-opened
		}
		return obedient(req)
	})
	t.Cleanup(sync.OnceFunc(func() { close(opened) }))
	body := object{"model": "rlm", "messages": says("do: x := 1 ;; FINAL(x+1)")}
	s.abandon(body, arrived, key("k"))
	require.Eventually(t, func() bool { // else the next request would join the old run
		sessions := s.call("GET", "api/v1/sessions", nil).list("sessions")
		return len(sessions) == 1 && sessions[0].at("state").text("doing") == ""
	}, time.Minute, time.Millisecond)
	out := s.chat(body, key("k"))
	require.Equal(t, "2", out.answer())
	require.EqualValues(t, 3, asked.Load(), "the first turn was recorded; the one that was cut off comes again")
}

func encoded(t testing.TB, body object) io.Reader {
	t.Helper()
	b, err := json.Marshal(body)
	require.NoError(t, err)
	return bytes.NewReader(b)
}

func TestBackground(t *testing.T) {
	t.Parallel()
	answer, arrived, open := gate(t)
	s := start(t, answer)
	first := s.call("POST", "v1/responses", object{"model": "rlm", "input": `do: FINAL("later")`, "background": true})
	require.Equal(t, "in_progress", first.text("status"))
	<-arrived
	require.Equal(t, "in_progress", s.call("GET", "v1/responses/"+first.text("id"), nil).text("status"))
	stopped := s.call("POST", "v1/responses", object{"model": "rlm", "input": `do: FINAL("never")`, "background": true})
	<-arrived
	require.Equal(t, "cancelled", s.call("POST", "v1/responses/"+stopped.text("id")+"/cancel", nil).text("status"))
	require.Equal(t, "cancelled", s.call("GET", "v1/responses/"+stopped.text("id"), nil).text("status"))
	open()
	res := s.open(t.Context(), "GET", "v1/responses/"+first.text("id")+"?stream=true", nil)
	defer res.Body.Close()
	names, data := events(t, res.Body)
	require.Equal(t, "response.completed", names[len(names)-1])
	for i, d := range data {
		require.Equal(t, float64(i), decoded(t, d).num("sequence_number"))
	}
	require.Equal(t, "later",
		decoded(t, data[len(data)-1]).at("response").list("output")[1].list("content")[0].text("text"))
	require.Equal(t, true, s.call("DELETE", "v1/responses/"+first.text("id"), nil)["deleted"])
	s.refused(404, "GET", "v1/responses/"+first.text("id"), nil)
}

// TestAConversationThatIsMadeFirst: OpenAI's clients create a conversation before its first question.
func TestAConversationThatIsMadeFirst(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	talk := s.call("POST", "v1/conversations", object{"metadata": object{"topic": "x"}})
	require.Equal(t, "conversation", talk.text("object"))
	require.Equal(t, map[string]any{"topic": "x"}, talk["metadata"])
	other := s.call("POST", "v1/conversations", object{})
	require.NotEqual(t, talk.text("id"), other.text("id"))

	s.call("POST", "v1/responses",
		object{"model": "rlm", "input": "do: x := 1 ;; FINAL(x)", "conversation": talk.text("id")})
	next := s.call("POST", "v1/responses",
		object{"model": "rlm", "input": "do: x++; FINAL(x)", "conversation": object{"id": talk.text("id")}})
	require.Equal(t, map[string]any{"id": talk.text("id")}, next["conversation"])
	said, err := io.ReadAll(encoded(t, next))
	require.NoError(t, err)
	require.Contains(t, string(said), `"text":"2"`)
	require.Contains(t, s.refused(400, "POST", "v1/conversations", object{"items": []object{{"role": "user"}}}).text(
		"message"), "first question")
}

// TestRefusalsNameTheFieldThatWasSent: a refusal names the field that the client used, even if there is another
// name for it, and explains how to write a list.
func TestRefusalsNameTheFieldThatWasSent(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	for field, wrong := range map[string]any{
		"max_tokens": -1, "max_completion_tokens": -1, "messages": object{"role": "user"},
	} {
		body := object{"model": "rlm", "messages": says("x")}
		body[field] = wrong
		e := s.refused(400, "POST", "v1/chat/completions", body)
		require.Equal(t, field, e.text("param"))
		require.Contains(t, e.text("message"), "'"+field+"'")
		require.Equal(t, field == "messages", strings.Contains(e.text("message"), "put it between [ and ]"))
	}
}

// TestTwoAtOnceHaveTwoNotebooks: two concurrent requests that continue the same answer get two notebooks; a named
// conversation has only one.
func TestTwoAtOnceHaveTwoNotebooks(t *testing.T) {
	t.Parallel()
	var gated atomic.Bool
	answer, arrived, open := gate(t)
	s := start(t, func(req fakeapi.Request) fakeapi.Reply {
		if gated.Load() {
			return answer(req)
		}
		return obedient(req)
	})
	first := s.call("POST", "v1/responses",
		object{"model": "rlm", "input": "do: x := 1 ;; FINAL(x)", "conversation": "talk"})
	gated.Store(true)
	got := make(chan object, 2)
	for range 2 {
		go func() {
			got <- s.call("POST", "v1/responses",
				object{"model": "rlm", "input": "do: x++; FINAL(x)", "previous_response_id": first.text("id")})
		}()
	}
	<-arrived
	<-arrived
	require.Equal(t, "conversation_locked", s.refused(
		409, "POST", "v1/responses", object{"model": "rlm", "input": "now?", "conversation": "talk"}).text("code"))
	open()
	a, b := <-got, <-got
	require.NotEqual(t, a.at("rlm").text("session"), b.at("rlm").text("session"))
	for _, out := range []object{a, b} {
		require.Equal(t, "2", out.list("output")[0].list("content")[0].text("text"))
	}
	next := s.call("POST", "v1/responses",
		object{"model": "rlm", "input": "do: x++; FINAL(x)", "conversation": object{"id": "talk"}})
	require.Equal(t, "3", next.list("output")[0].list("content")[0].text("text"),
		"it has heard what was asked in its session meanwhile")
	s.refused(400, "POST", "v1/responses", object{"model": "rlm", "input": "x", "previous_response_id": "resp_none"})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	ask := says("hello")
	for name, c := range map[string]struct {
		path   string
		body   any
		status int
		param  string
		says   string
	}{
		"stop": {"chat/completions", object{"messages": ask, "stop": "\n"}, 400, "stop", "cannot be cut"},
		"n":    {"chat/completions", object{"messages": ask, "n": 3}, 400, "n", "one answer"},
		"tools": {
			"chat/completions",
			object{"messages": ask, "tools": []object{{"type": "function"}}},
			400,
			"tools", "rlm serve --mcp",
		},
		"unknown": {"chat/completions", object{"messages": ask, "stpo": "x"}, 400, "stpo", "unrecognized"},
		"model": {
			"chat/completions",
			object{"messages": ask, "model": "gpt-5"},
			404, "model",
			"rlm/other/one",
		},
		"named model": {
			"chat/completions",
			object{"messages": ask, "rlm": object{"sub_model": "gpt-5"}},
			404,
			"rlm.sub_model", "does not exist",
		},
		"no question":    {"chat/completions", object{"messages": says("a", "b")}, 400, "messages", "question"},
		"empty question": {"chat/completions", object{"messages": says(" ")}, 400, "messages", "empty"},
		"image": {"chat/completions", object{"messages": []object{{"role": "user", "content": []object{{
			"type": "image_url", "image_url": object{"url": "x"},
		}}}}}, 400, "messages[0].content[0].type", "image_url"},
		"calls": {"chat/completions", object{"messages": []object{
			{"role": "tool", "content": "x", "tool_call_id": "1"},
		}}, 400, "messages[0]", "no tool calls"},
		"json_object": {
			"chat/completions",
			object{"messages": ask, "response_format": object{"type": "grammar"}},
			400, "response_format.type", "json_schema",
		},
		"wrong schema": {
			"chat/completions",
			object{"messages": ask, "response_format": object{"type": "json_schema", "json_schema": object{
				"name": "x", "schema": object{"type": "objekt"},
			}}},
			400, "response_format", "objekt",
		},
		"temperature": {
			"chat/completions",
			object{"messages": ask, "temperature": 3},
			400, "temperature",
			"between 0 and 2",
		},
		"no such file": {
			"chat/completions",
			object{"messages": ask, "rlm": object{"files": []string{"file-../../x"}}},
			404, "file_id", "no such file",
		},
		"budget": {
			"chat/completions",
			object{"messages": ask, "rlm": object{"max_cost": -1}},
			400, "rlm",
			"positive",
		},
		"unknown budget": {
			"chat/completions",
			object{"messages": ask, "rlm": object{"max_cots": 1}},
			400, "rlm",
			"max_cots",
		},
		"call item": {
			"responses",
			object{"input": []object{{"type": "function_call_output"}}},
			400,
			"input[0].type", "function_call_output",
		},
		"file by URL": {"responses", object{"input": []object{{"role": "user", "content": []object{
			{"type": "input_file", "file_url": "http://x"},
		}}}}, 400, "input[0].content[0].file_url", "upload"},
		"kept nowhere": {
			"responses",
			object{"input": "x", "store": false, "background": true},
			400, "store",
			"must be stored",
		},
		"method": {"chat/completions/", object{}, 404, "", "there is no POST"},
		"long elsewhere": {
			"responses",
			object{"input": "x", "instructions": strings.Repeat("a", 2<<20)},
			400,
			"instructions", "too long",
		},
		"both": {
			"responses",
			object{"input": "x", "conversation": "a", "previous_response_id": "b"},
			400,
			"conversation", "together",
		},
		"something behind": {"responses", []byte(`{"input":"x"} {}`), 400, "", "after its end"},
		"twice":            {"responses", []byte(`{"input":"x","input":"y"}`), 400, "input", "twice"},
		"other case":       {"responses", []byte(`{"Input":"x"}`), 400, "Input", "unrecognized"},
		"nowhere":          {"embeddings", object{}, 404, "", "there is no POST /v1/embeddings"},
	} {
		t.Run(name, func(t *testing.T) {
			if o, ok := c.body.(object); ok && o["model"] == nil {
				o["model"] = "rlm"
			}
			e := s.refused(c.status, "POST", "v1/"+c.path, c.body)
			require.Equal(t, c.param, e.text("param"))
			require.Contains(t, e.text("message"), c.says)
		})
	}
	require.Empty(t, s.model.Requests(), "nobody was asked")
	require.Equal(t, 0.0, s.call("GET", "api/v1/sessions", nil).num("total"), "no session was made")
	require.Equal(t, "invalid_api_key", s.refused(401, "GET", "v1/models", nil, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer wrong")
	}).text("code"))
}

// TestDefaultsAreTaken: fields that ask for the default behaviour are no error.
func TestDefaultsAreTaken(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	out := s.chat(object{
		"messages": says("do: FINAL(1)"), "n": 1, "stop": nil, "tools": []any{}, "top_p": 1, "frequency_penalty": 0,
		"logprobs": false, "user": "u",
		"metadata": object{"a": "b"}, "store": false, "response_format": object{"type": "text"}, "temperature": 0.3,
		"reasoning_effort": "low", "seed": nil,
	})
	require.Equal(t, "1", out.answer())
	call := s.model.Requests()[0]
	require.Equal(t, 0.3, call.Field("temperature"))
	require.Equal(t, "low", call.Field("reasoning_effort"))
}

// TestJSONObject: a client that wants JSON without a schema gets an object, and the model is told what is wrong
// with anything else.
func TestJSONObject(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	steps := "do: FINAL(`no object`) ;; FINAL(map[string]any{\"a\": 1})"
	chat := s.chat(object{"messages": says(steps), "response_format": object{"type": "json_object"}})
	require.JSONEq(t, `{"a": 1}`, chat.answer())
	// as clients of llama.cpp send it
	form := object{"type": "object", "properties": object{"a": object{"type": "string"}}}
	chat = s.chat(object{
		"messages":        says("do: FINAL(Answer{A: `x`})"),
		"response_format": object{"type": "json_object", "schema": form},
	})
	require.JSONEq(t, `{"a": "x"}`, chat.answer())
	response := s.call("POST", "v1/responses",
		object{"model": "rlm", "input": steps, "text": object{"format": object{"type": "json_object"}}})
	require.JSONEq(t, `{"a": 1}`, response.list("output")[0].list("content")[0].text("text"))
	require.Equal(t, object{"type": "json_object"}, response.at("text").at("format"))
}

func TestFailuresOfTheModel(t *testing.T) {
	t.Parallel()
	s := start(t, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Failing(401, "no such key") })
	status, out, header := s.send("POST", "v1/chat/completions", object{"model": "rlm", "messages": says("x")})
	require.Equal(t, 502, status)
	require.Equal(t, "model_auth", out.at("error").text("code"))
	require.Equal(t, "false", header.Get("X-Should-Retry"), "clients that try again by themselves would pay again")
	res := s.open(t.Context(), "POST", "v1/chat/completions",
		object{"model": "rlm", "messages": says("x"), "stream": true})
	defer res.Body.Close()
	_, data := events(t, res.Body)
	require.Equal(t, "model_auth", decoded(t, data[len(data)-1]).at("error").text("code"))
	res = s.open(t.Context(), "POST", "v1/responses", object{"model": "rlm", "input": "x", "stream": true})
	defer res.Body.Close()
	names, data := events(t, res.Body)
	require.Equal(t, "response.failed", names[len(names)-1])
	require.Equal(t, "model_auth", decoded(t, data[len(data)-1]).at("response").at("error").text("code"))
}

// TestBudgets: a budget of the request ends its run, which says so; the next request has its own.
func TestBudgets(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	steps := "do: x := 1 ;; x++ ;; x++ ;; x++ ;; FINAL(x)"
	late := "do: x := 1 ;; x++ ;; FINAL(x)" // the final answer comes in the extra turn after a limit
	out := s.chat(object{"messages": says(late), "max_tokens": 15})
	require.Equal(t, "length", out.list("choices")[0].text("finish_reason"))
	require.Equal(t, "2", out.answer())
	require.Equal(t, "token_limit", out.at("rlm").text("status"))
	_, failed, _ := s.send("POST", "v1/chat/completions",
		object{"model": "rlm", "messages": says(steps), "max_tokens": 15})
	require.Equal(t, "token_limit", failed.at("error").text("code"), failed)
	require.Equal(t, "token_limit", failed.at("rlm").text("status"))
	response := s.call("POST", "v1/responses", object{"model": "rlm", "input": late, "rlm": object{"max_turns": 2}})
	require.Equal(t, "incomplete", response.text("status"))
	require.Equal(t, "max_output_tokens", response.at("incomplete_details").text("reason"))
	again := s.call("POST", "v1/responses",
		object{"model": "rlm", "input": steps, "previous_response_id": response.text("id")})
	require.Equal(t, "completed", again.text("status"))
	require.Equal(t, response.at("rlm").text("session"), again.at("rlm").text("session"))
	require.Equal(t, "max_iterations", s.refused(422, "POST", "v1/responses",
		object{"model": "rlm", "input": steps, "rlm": object{"max_turns": 2}}).text("code"))
	cost := s.refused(422, "POST", "v1/chat/completions",
		object{"model": "rlm", "messages": says(steps), "rlm": object{"max_cost": 0.0003}})
	require.Equal(t, "cost_limit", cost.text("code"))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	upload := func(name, text string) object {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		require.NoError(t, form.WriteField("purpose", "assistants"))
		w, err := form.CreateFormFile("file", name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, form.Close())
		return s.call("POST", "v1/files", b.Bytes(), func(r *http.Request) {
			r.Header.Set("Content-Type", form.FormDataContentType())
		})
	}
	a, b := upload("a.txt", "one"), upload("a.txt", "two")
	require.Equal(t, "assistants", a.text("purpose"))
	out := s.chat(object{
		"messages": says(`do: FINAL(fmt.Sprint(strings.Contains(context, "one"), strings.Contains(context, "two")))`),
		"rlm":      object{"files": []string{a.text("id"), b.text("id")}},
	})
	require.Equal(t, "true true", out.answer())
	data := object{"type": "input_file", "filename": "notes.txt", "file_data": "data:text/plain;base64,aGVsbG8="}
	got := s.call("POST", "v1/responses", object{"model": "rlm", "input": []object{
		{"role": "user", "content": []object{data, {"type": "input_text", "text": "do: FINAL(context)"}}},
	}})
	require.Contains(t, got.list("output")[0].list("content")[0].text("text"), "hello")
	require.Len(t, s.call("GET", "v1/files", nil).list("data"), 2)
	require.Len(t, s.call("GET", "v1/files?limit=1", nil).list("data"), 1)
	s.call("DELETE", "v1/files/"+a.text("id"), nil)
	s.refused(404, "GET", "v1/files/"+a.text("id"), nil)
	s.refused(404, "DELETE", "v1/files/..%2f..%2fserver", nil)
}

// TestNumbersAsTexts: clients with textual configuration send numbers as texts, and the meaning is unmistakable.
func TestNumbersAsTexts(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	for _, path := range []string{"chat/completions", "responses"} {
		body := object{
			"model": "rlm", "temperature": "0.5", "top_p": "1", "stream": "false", "metadata": nil,
			"a_field_of_tomorrow": nil,
			"rlm":                 object{"max_turns": "3", "max_cost": "0.5", "empty": "true", "max_depth": 1.0},
		}
		if path == "responses" {
			body["input"], body["max_output_tokens"] = "do: FINAL(1)", "1000"
		} else {
			body["messages"], body["max_tokens"], body["n"] = says("do: FINAL(1)"), 1000.0, "1"
		}
		status, out, header := s.send("POST", "v1/"+path, body)
		require.Equal(t, 200, status, out)
		require.Empty(t, header.Get("Rlm-Ignored"))
		body["temperature"] = "warm"
		status, out, _ = s.send("POST", "v1/"+path, body)
		require.Equal(t, 400, status)
		require.Equal(t, "'temperature' is not as expected: it is a string, not a number",
			out.at("error").text("message"))
		body["temperature"], body["rlm"] = nil, object{"max_turns": "few"}
		_, out, _ = s.send("POST", "v1/"+path, body)
		require.Equal(t, "'rlm' is not as expected: 'max_turns' is a string, not a whole number",
			out.at("error").text("message"))
	}
}
