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
	for _, host := range []string{
		s.URL, strings.TrimPrefix(s.URL, "http://"), strings.Replace(s.URL, "127.0.0.1", "0.0.0.0", 1),
	} {
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

// Addresses are completed as Ollama's own client does.
func TestAddressesOfOllama(t *testing.T) {
	for raw, want := range map[string]string{
		"":                         "http://127.0.0.1:11434/v1",
		"box":                      "http://box:11434/v1",
		":8080":                    "http://127.0.0.1:8080/v1",
		"0.0.0.0":                  "http://127.0.0.1:11434/v1",
		"http://[::]:8080":         "http://127.0.0.1:8080/v1",
		"[::1]":                    "http://[::1]:11434/v1",
		"https://ollama.test/path": "https://ollama.test:11434/v1",
		"http://box:1/api/v1":      "http://box:1/api/v1",
	} {
		c, err := llm.New(llm.Config{Model: "m", Provider: "ollama", BaseURL: raw})
		require.NoError(t, err, raw)
		require.Equal(t, want, c.BaseURL(), raw)
	}
}
