package llm

import (
	"maps"
	"net/http"
	"strings"
)

// openRouterProvider is OpenRouter. What differs there: it tells the cost of a call when it is asked to; models of
// Anthropic are cached behind it only where the prompt is marked.
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
