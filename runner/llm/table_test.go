package llm_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// Every word and every code in the table has the meaning that the table states, and is there only once.
func TestTheTableOfForms(t *testing.T) {
	text, err := os.ReadFile("forms.toml")
	require.NoError(t, err)
	var table struct {
		Finish map[string][]string
		Codes  map[llm.ErrorKind][]string
	}
	require.NoError(t, toml.Unmarshal(text, &table))
	once := func(c *llm.Config) { c.Tries = 1 }
	seen := map[string]bool{}
	for reason, words := range table.Finish {
		for _, word := range words {
			require.False(t, seen["finish "+word], word)
			seen["finish "+word] = true
			s := fakeapi.Start(fakeapi.Rule{
				Times: -1, Reply: fakeapi.Reply{Content: "par", Finish: strings.ToUpper(word)},
			})
			if reason == "broken" {
				require.Contains(t, failure(t, client(t, s, once), ask("hi")).Message, "the endpoint", word)
				continue
			}
			resp, _ := generate(t, client(t, s, once), ask("hi"))
			require.Equal(t, reason, resp.FinishReason, word)
		}
	}
	for kind, codes := range table.Codes {
		for _, code := range codes {
			require.False(t, seen["code "+code], code)
			seen["code "+code] = true
			reply := fakeapi.Reply{
				Status: http.StatusBadRequest,
				Body:   fmt.Sprintf(`{"error":{"message":"m","code":%q}}`, code),
			}
			if kind == llm.ErrUnavailable {
				reply.Status = http.StatusServiceUnavailable
			}
			if n, ok := strings.CutPrefix(code, "base_resp:"); ok {
				reply = fakeapi.Reply{Body: fmt.Sprintf(`{"base_resp":{"status_code":%s,"status_msg":"m"}}`, n)}
			}
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: reply})
			require.Equal(t, kind, failure(t, client(t, s, once), ask("hi")).Kind, code)
		}
	}
}
