package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// A conversation's cache does not change the requests, however the messages change between the calls.
func TestWhatIsKeptOfAConversationIsNotSent(t *testing.T) {
	var bodies []string
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		bodies = append(bodies, string(r.Body))
		return fakeapi.Reply{Content: "yes"}
	})
	defer s.Close()
	model, err := llm.New(llm.Config{Model: "m", BaseURL: s.URL()})
	require.NoError(t, err)
	say := func(texts ...string) (out []llm.Message) {
		for i, text := range texts {
			out = append(out, llm.Message{
				Role: []llm.Role{llm.System, llm.User, llm.Assistant, llm.User}[min(i, 3)], Content: text,
			})
		}
		return out
	}
	kept := new(llm.MessageCache)
	for n, messages := range [][]llm.Message{
		say("Be brief.", "if a < b && c > d { \"é\\n\" }"),
		say("Be brief.", "if a < b && c > d { \"é\\n\" }", "", "\xff\u2028\x00 next"),
		say("Be long.", "another", "", "\xff\u2028\x00 next", "and more"),
		say("Be brief."),
		say(),
	} {
		var told []llm.Usage
		for _, k := range []*llm.MessageCache{nil, kept, kept} {
			res, err := model.Generate(t.Context(), llm.Request{Messages: messages, Kept: k}, nil)
			require.NoError(t, err)
			told = append(told, res.Usage)
		}
		require.Equal(t, told[0], told[1], n)
		last := bodies[len(bodies)-3:]
		require.Equal(t, last[0], last[1], n)
		require.Equal(t, last[0], last[2], n)
		var sent struct {
			Messages []struct{ Role, Content string }
		}
		require.NoError(t, json.Unmarshal([]byte(last[0]), &sent))
		require.Len(t, sent.Messages, len(messages))
		for i, m := range messages {
			asJSON, err := json.Marshal(m.Content)
			require.NoError(t, err)
			var want string
			require.NoError(t, json.Unmarshal(asJSON, &want))
			require.Equal(t, want, sent.Messages[i].Content, fmt.Sprint(n, i))
			require.EqualValues(t, m.Role, sent.Messages[i].Role)
		}
	}
}

// Texts are encoded as by encoding/json, whatever their content, except for HTML escapes.
func TestTextsAreEncodedAsJSON(t *testing.T) {
	var body string
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		body = string(r.Body)
		return fakeapi.Reply{Content: "yes"}
	})
	defer s.Close()
	model, err := llm.New(llm.Config{Model: "m", BaseURL: s.URL()})
	require.NoError(t, err)
	texts := []string{
		"", "plain", "<a href=\"x\">&amp;</a>", "é世界🙂", "\u2028", "a\u2029b", "\ufffd", "\xe4\xb8",
		"end\xff", "\\\"\r\n\t\b\f\x00\x1f\x7f",
	}
	for c := range 256 {
		texts = append(texts, "before"+string([]byte{byte(c)})+"after")
	}
	for _, text := range texts {
		_, err := model.Generate(
			t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}, nil)
		require.NoError(t, err)
		var want strings.Builder
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(text))
		require.Contains(t, body, `{"role":"user","content":`+strings.TrimSpace(want.String())+`}`, "%q", text)
	}
}
