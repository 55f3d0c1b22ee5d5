package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChat(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	out := s.chat(object{"messages": says(`do: x := 41 ;; fmt.Println(llm_query("hi")) ;; FINAL(x+1)`)})
	require.Equal(t, "42", out.answer())
	require.Equal(t, "chat.completion", out.text("object"))
	require.Equal(t, "rlm", out.text("model"))
	require.Equal(t, "stop", out.list("choices")[0].text("finish_reason"))
	usage := out.at("usage")
	require.Equal(t, 400.0, usage.num("prompt_tokens"), "three turns and a sub-call")
	require.Equal(t, 40.0, usage.num("completion_tokens"))
	require.Equal(t, 440.0, usage.num("total_tokens"))
	require.Equal(t, 120.0, usage.at("prompt_tokens_details").num("cached_tokens"))
	require.Equal(t, 16.0, usage.at("completion_tokens_details").num("reasoning_tokens"))
	about := out.at("rlm")
	require.Equal(t, "completed", about.text("status"))
	require.Equal(t, 1.0, about.num("sub_calls"))
	require.Greater(t, about.num("cost"), 0.0)
	require.Equal(t, "grounded", about.at("grounding").text("verdict"))
	require.Equal(t, "42", about.at("grounding").list("values")[0].text("value"))

	session := s.call("GET", "api/v1/sessions/"+about.text("session"), nil)
	require.Equal(t, 1.0, session.num("questions"), "the run is one like any other")
}

func TestChatKeepsItsNotebook(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	first := s.chat(object{"messages": says("do: x := 1 ;; FINAL(x)")})
	second := s.chat(object{"messages": says("do: x := 1 ;; FINAL(x)", "1", "do: x++; FINAL(x)")})
	require.Equal(t, "2", second.answer())
	session := first.at("rlm").text("session")
	require.Equal(t, session, second.at("rlm").text("session"))

	again := s.chat(object{"messages": says("do: x := 1 ;; FINAL(x)", "1", "do: x += 10; FINAL(x)")})
	require.Equal(t, "11", again.answer(), "an earlier message that comes again goes on from there")
	require.NotEqual(t, session, again.at("rlm").text("session"))

	third := s.chat(object{"messages": says(
		"do: x := 1 ;; FINAL(x)", "1", "do: x++; FINAL(x)", "2", "do: x++; FINAL(x)")})
	require.Equal(t, "3", third.answer())
	require.Equal(t, session, third.at("rlm").text("session"))

	edited := s.chat(object{"messages": says(
		"do: x := 1 ;; FINAL(x)", "1", "do: x *= 100; FINAL(x)", "100", "do: x += 5; FINAL(x)")})
	require.Equal(t, "6", edited.answer(), "an earlier message that was edited forks before it")
	require.NotContains(t, []string{session, again.at("rlm").text("session")}, edited.at("rlm").text("session"))
	requests := s.model.Requests()
	require.Contains(t, requests[len(requests)-1].Last(), "Assistant: 100", "what was said in between is told")

	other := s.chat(object{"messages": says("do: x := 5", "1", "what now? do: FINAL(len(history))")})
	require.Equal(t, "0", other.answer(), "what was never said here begins a notebook of its own")
	asked := s.model.Requests()
	question := asked[len(asked)-1].Messages[1].Content
	require.Contains(t, question, "User: do: x := 5")
	require.Contains(t, question, "Assistant: 1")
}

func TestLongTextsAreTheContext(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	long := strings.Repeat("hay needle hay\n", 2000)
	parts := []object{
		{"type": "text", "text": long},
		{"type": "text", "text": `do: FINAL(strings.Count(context, "needle"))`},
	}
	out := s.chat(object{"messages": []object{
		{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts},
	}})
	require.Equal(t, "2000", out.answer())
	first := s.model.Requests()[0]
	require.Less(t, len(first.Body), 2*len(long), "the text is not sent to the model")
	require.Contains(t, first.Messages[0].Content, "House rules.")
	require.Contains(t, first.Messages[0].Content, "Be brief.")
	next := s.chat(object{"messages": []object{
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": parts},
		{"role": "assistant", "content": "2000"},
		{"role": "user", "content": "do: FINAL(len(context))"},
	}})
	require.Equal(t, "30000", next.answer())
	require.Equal(t, out.at("rlm").text("session"), next.at("rlm").text("session"))

	one := s.chat(object{"messages": says(long + "do: FINAL(len(context))")})
	require.Equal(t, "30023", one.answer(), "one long message is the context, and its end is shown")
}

// TestAddressesOfAzure: clients of Azure's API name the model in the address, and send the key in a header of its own.
func TestAddressesOfAzure(t *testing.T) {
	t.Parallel()
	s := start(t, obedient)
	const chat = "chat/completions?api-version=2024-10-21"
	azure := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Set("Api-Key", s.token)
	}
	body := func() object { return object{"messages": says("do: FINAL(1)")} }
	for deployment, status := range map[string]int{"rlm": 200, "rlm%2Fother%2Fone": 200, "nobody": 404, "": 404} {
		before := len(s.model.Requests())
		got, out, _ := s.send("POST", "openai/deployments/"+deployment+"/"+chat, body(), azure)
		require.Equal(t, status, got, "%s: %v", deployment, out)
		if status != 200 {
			require.NotEmpty(t, out.at("error").text("type"), deployment)
		}
		for _, r := range s.model.Requests()[before:] {
			require.Equal(t, deployment == "rlm%2Fother%2Fone", r.Model == "other/one", deployment)
		}
	}
	named := body()
	named["model"] = "nobody" // the address decides
	s.call("POST", "openai/deployments/rlm/"+chat, named, azure)
	named["model"] = "rlm"
	s.call("POST", "openai/v1/chat/completions", named, azure)
	require.NotEmpty(t, s.call("GET", "openai/v1/models", nil, azure).list("data"))
	s.refused(405, "GET", "openai/deployments/rlm/"+chat, nil, azure)
	stranger := func(r *http.Request) { r.Header.Del("Authorization") }
	s.refused(401, "POST", "openai/deployments/rlm/"+chat, body(), stranger)
}
