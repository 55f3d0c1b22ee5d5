package openai_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/internal/testing/nothing"
)

// TestAllWaysToComeToNothingAreOneFailure: whatever makes `rlm run` exit with code 3 gives no completion here.
func TestAllWaysToComeToNothingAreOneFailure(t *testing.T) {
	t.Parallel()
	data := "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte(nothing.Text()))
	for name, c := range nothing.Ways() {
		if c.Status == nothing.NeedsInput || c.Status == "refused" { // a reply in a conversation; a field of its own
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(req fakeapi.Request) fakeapi.Reply {
				turn := 0
				for _, m := range req.Messages {
					if m.Role == "assistant" {
						turn++
					}
				}
				return fakeapi.Reply{Content: c.Reply(turn)}
			})
			question, ended := nothing.Question, c.Status
			status, out, header := s.send("POST", "v1/chat/completions",
				object{"model": "rlm", "messages": []object{{"role": "user", "content": []object{
					{"type": "file", "file": object{"filename": "app.log", "file_data": data}},
					{"type": "text", "text": question},
				}}}})
			require.Equal(t, 422, status, out)
			require.Equal(t, ended, out.at("error").text("code"), out)
			require.Contains(t, out.at("error").text("message"), c.Partial)
			require.Equal(t, ended, out.at("rlm").text("status"))
			require.NotEmpty(t, out.at("rlm").text("session"))
			require.Equal(t, "false", header.Get("X-Should-Retry"))
			input := []object{{"role": "user", "content": []object{
				{"type": "input_file", "filename": "app.log", "file_data": data},
				{"type": "input_text", "text": question},
			}}}
			e := s.refused(422, "POST", "v1/responses", object{"model": "rlm", "input": input})
			require.Equal(t, ended, e.text("code"))
			require.Contains(t, e.text("message"), c.Partial)
			res := s.open(t.Context(), "POST", "v1/responses", object{"model": "rlm", "input": input, "stream": true})
			defer res.Body.Close()
			names, events := events(t, res.Body)
			require.Equal(t, "response.failed", names[len(names)-1])
			require.Equal(t, ended, decoded(t, events[len(events)-1]).at("response").at("error").text("code"))
		})
	}
}

// TestAQuestionOfTheModelIsAReply: in a conversation somebody can answer it.
func TestAQuestionOfTheModelIsAReply(t *testing.T) {
	t.Parallel()
	const asks = "Which log do you mean? Please clarify."
	s := start(t, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: asks} })
	out := s.chat(object{
		"messages": says(strings.Repeat("10:01 ERROR cart\n", 4000) + "\n\nWhich service fails most?"),
	})
	require.Equal(t, asks, out.answer())
	require.Equal(t, nothing.NeedsInput, out.at("rlm").text("status"), "a program sees that it is no answer")
	require.NotContains(t, out.at("rlm"), "grounding")
}

// TestAFailureQuotesWordsAndNotCells: what the model did last is not a result.
func TestAFailureQuotesWordsAndNotCells(t *testing.T) {
	t.Parallel()
	s := start(t, func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: "I am still counting.\n\n```go\nfmt.Println(len(context))\n```"}
	})
	e := s.refused(422, "POST", "v1/chat/completions", object{
		"model": "rlm", "messages": says(strings.Repeat("10:01 ERROR cart\n", 4000) + "\n\nWhich service fails most?"),
	})
	require.Contains(t, e.text("message"), "; the model's last words: I am still counting.")
	require.NotContains(t, e.text("message"), "Println")
	require.NotContains(t, e.text("message"), "result so far")
}

// TestAQuestionInACellEndsTheMessage: whatever form it came in, the error ends with what the model asks for.
func TestAQuestionInACellEndsTheMessage(t *testing.T) {
	t.Parallel()
	const asks = "Which log do you mean? Please clarify."
	s := start(t, func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: "```go\nFINAL(\"" + asks + "\")\n```"}
	})
	e := s.refused(422, "POST", "v1/chat/completions", object{
		"model": "rlm", "messages": says(strings.Repeat("10:01 ERROR cart\n", 4000) + "\n\nWhich service fails most?"),
	})
	require.Equal(t, nothing.NeedsInput, e.text("code"))
	message := e.text("message")
	require.Truef(t, strings.HasSuffix(message, asks), "%s", message)
	require.Equal(t, 1, strings.Count(message, asks), message)
}

// TestWhatIsWithheldHasItsOwnForm: OpenAI's API has fields for filtered replies and refusals. The model gets one
// chance to reply differently.
func TestWhatIsWithheldHasItsOwnForm(t *testing.T) {
	t.Parallel()
	const declines = "I cannot help with that."
	refused := fakeapi.Reply{
		Body: `{"choices":[{"message":{"content":null,"refusal":"` + declines + `"},"finish_reason":"stop"}]}`,
	}
	for name, c := range map[string]struct {
		reply   fakeapi.Reply
		status  string
		finish  string
		refusal any // the message's refusal
		whole   string
		why     any
		parts   []any
	}{
		"filtered": {
			fakeapi.Reply{Content: "par", Finish: "content_filter"},
			"content_filter", "content_filter", nil,
			"incomplete", "content_filter", nil,
		},
		"withheld": {
			fakeapi.Reply{Finish: "content_filter"},
			"content_filter", "content_filter", nil, "incomplete",
			"content_filter", nil,
		},
		"refused": {
			refused, "refused", "stop", declines, "completed", nil,
			[]any{map[string]any{"type": "refusal", "refusal": declines}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(fakeapi.Request) fakeapi.Reply { return c.reply })
			question := object{"model": "rlm", "messages": says("Which service fails most?")}
			out := s.chat(question)
			require.Len(t, s.model.Requests(), 2)
			require.Equal(t, c.status, out.at("rlm").text("status"))
			choice := out.list("choices")[0]
			require.Equal(t, c.finish, choice.text("finish_reason"))
			message := choice.at("message")
			require.Contains(t, message, "content")
			require.Nil(t, message["content"], "what is left of a reply is no answer")
			require.Equal(t, c.refusal, message["refusal"])

			question["stream"] = true
			res := s.open(t.Context(), "POST", "v1/chat/completions", question)
			_, streamed := events(t, res.Body)
			require.NoError(t, res.Body.Close())
			said, content, finish := "", "", ""
			for _, data := range streamed[:len(streamed)-1] {
				choice := decoded(t, data).list("choices")[0]
				part, _ := choice.at("delta")["refusal"].(string)
				text, _ := choice.at("delta")["content"].(string)
				ended, _ := choice["finish_reason"].(string)
				said, content, finish = said+part, content+text, finish+ended
			}
			require.Equal(t, c.finish, finish)
			require.Empty(t, content)
			if c.refusal != nil {
				require.Equal(t, c.refusal, said)
			}

			input := object{"model": "rlm", "input": "Which service fails most?"}
			whole := s.call("POST", "v1/responses", input)
			require.Equal(t, c.whole, whole.text("status"))
			if c.why != nil {
				require.Equal(t, c.why, whole.at("incomplete_details")["reason"])
			}
			if c.parts == nil {
				require.Empty(t, whole["output"])
			} else {
				require.Equal(t, c.parts, whole.list("output")[0]["content"])
			}
			later := s.call("GET", "v1/responses/"+whole.text("id"), nil)["output"].([]any)
			require.Equal(t, whole["output"], later[min(1, len(later)):],
				"from the log, behind what was told of the progress")
			input["stream"] = true
			res = s.open(t.Context(), "POST", "v1/responses", input)
			names, _ := events(t, res.Body)
			require.NoError(t, res.Body.Close())
			require.Equal(t, "response."+c.whole, names[len(names)-1])
			if c.parts != nil {
				require.Subset(t, names, []string{"response.refusal.delta", "response.refusal.done"})
			}
		})
	}
}

// TestACallOfAToolThatIsNotThere: a model that invents a tool at any turn is told so, and the run continues.
func TestACallOfAToolThatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1} {
		s := start(t, func(req fakeapi.Request) fakeapi.Reply {
			switch req.N {
			case at:
				return fakeapi.Reply{Fault: fakeapi.ToolCalls, Finish: "tool_calls"}
			case 2:
				return fakeapi.Reply{Content: "```go\nFINAL(7)\n```"}
			}
			return fakeapi.Reply{Content: "```go\nx := 7\n```"}
		})
		require.Equal(t, "7", s.chat(object{"messages": says("Which?")}).answer())
		require.Contains(t, s.model.Requests()[at+1].Last(), "write a ```go cell")
	}
}
