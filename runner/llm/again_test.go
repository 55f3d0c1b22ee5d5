package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// A refused request is sent again only in other words, and these run out.
func TestARefusalEndsACall(t *testing.T) {
	user := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "hi"}}}
	for _, c := range []struct {
		says     string
		req      llm.Request
		requests int
	}{
		{"no", ask("hi"), 1},
		{"response_format is unavailable", jsonRequest(looseSchema), 3},
		{"unsupported role: system", ask("hi"), 2},
		{"unsupported role: system", user, 1},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: 9, Reply: fakeapi.Failing(400, c.says)},
			fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "at last"}})
		_, err := client(t, s).Generate(t.Context(), c.req, nil)
		require.Error(t, err, c.says)
		require.Len(t, s.Requests(), c.requests, c.says)
	}
}
