package llm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

func TestModels(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   []string
		kind   llm.ErrorKind
		says   string
	}{
		"a list":        {200, `{"data":[{"id":"b"},{"id":"a"},{}]}`, []string{"a", "b"}, "", ""},
		"an empty list": {200, `{"data":[]}`, []string{}, "", ""},
		"a wrong key": {
			401, `{"error":{"message":"bad key sk-secret-123456"}}`, nil, llm.ErrAuth,
			"refused the API key",
		},
		"no list": {404, `not found`, nil, llm.ErrBadRequest, "404"},
		"no JSON": {200, `<html>`, nil, "", "did not answer with a list of models"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				require.Equal(t, "/v1/models", r.URL.Path)
				require.Equal(t, "Bearer sk-secret-123456", r.Header.Get("Authorization"))
				w.WriteHeader(c.status)
				w.Write([]byte(c.body))
			}))
			defer s.Close()
			client, err := llm.New(llm.Config{Model: "m", BaseURL: s.URL, APIKey: llm.NewSecret("sk-secret-123456")})
			require.NoError(t, err)
			names, err := client.Models(context.Background())
			if c.says == "" {
				require.NoError(t, err)
				require.Equal(t, c.want, names)
				return
			}
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "sk-secret")
			if c.kind != "" {
				var failed *llm.Error
				require.ErrorAs(t, err, &failed)
				require.Equal(t, c.kind, failed.Kind)
			}
		})
	}
}
