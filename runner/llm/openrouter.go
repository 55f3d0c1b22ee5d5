package llm

import (
	"maps"
	"net/http"
	"strings"
)

// openRouterProvider is OpenRouter. It differs in two ways: it reports the cost of a call on request, and it caches
// prompts of Anthropic's models only if they are marked.
func openRouterProvider() Provider {
	return Provider{
		Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1",
		KeyEnv: []string{"OPENROUTER_API_KEY"}, URLEnv: []string{"OPENROUTER_BASE_URL"},
		prepare: func(c *Client) {
			c.extra = map[string]any{"usage": map[string]any{"include": true}}
			named := http.Header{"Http-Referer": {"https://github.com/gorlm/rlm"}, "X-Title": {"rlm"}}
			maps.Copy(named, c.cfg.Headers)
			c.cfg.Headers = named
			c.marked = strings.HasPrefix(c.model, "anthropic/")
		},
	}
}
