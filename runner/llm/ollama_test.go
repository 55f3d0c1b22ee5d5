package llm_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestFindOllama(t *testing.T) {
	tags := `{"models":[{"name":"nomic-embed-text:latest"},{"name":"qwen3:8b"},{"name":"llama3.2:latest"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/api/tags", r.URL.Path)
		io.WriteString(w, tags)
	}))
	defer s.Close()
	for _, host := range []string{s.URL, strings.TrimPrefix(s.URL, "http://"), strings.Replace(s.URL, "127.0.0.1", "0.0.0.0", 1)} {
		found, err := llm.FindOllama(t.Context(), host)
		require.NoError(t, err, host)
		require.Equal(t, llm.Ollama{BaseURL: s.URL + "/v1", Models: []string{"qwen3:8b", "llama3.2:latest"}}, found)
	}
	tags = `{"models":[]}`
	_, err := llm.FindOllama(t.Context(), s.URL)
	require.ErrorContains(t, err, "has no model")
	tags = `hello`
	_, err = llm.FindOllama(t.Context(), s.URL)
	require.ErrorContains(t, err, "not Ollama")
	s.Close()
	_, err = llm.FindOllama(t.Context(), s.URL)
	require.ErrorContains(t, err, "no Ollama answers")
	_, err = llm.FindOllama(t.Context(), "http://[bad")
	require.Error(t, err)
}
