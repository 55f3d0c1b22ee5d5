package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

func TestLocal(t *testing.T) {
	for url, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1:8080": true, "http://[::1]:1/v1": true,
		"http://127.9.9.9":          true,
		"https://api.openai.com/v1": false, "http://10.0.0.1": false, "http://localhost.example.org": false, "": false,
	} {
		c, err := llm.New(llm.Config{Model: "m", BaseURL: url, APIKey: llm.NewSecret("key")})
		require.NoError(t, err, url)
		require.Equal(t, want, c.Local(), url)
	}
}
