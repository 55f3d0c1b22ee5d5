package llm

import "strings"

// openRouterProvider is OpenRouter. What differs there: it tells the cost of a call when it is asked to; models of
// Anthropic are cached behind it only where the prompt is marked.
func openRouterProvider() Provider {
	return Provider{
		Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1",
		KeyEnv: []string{"OPENROUTER_API_KEY"}, URLEnv: []string{"OPENROUTER_BASE_URL"},
		prepare: func(c *Client) {
			c.extra = map[string]any{"usage": map[string]any{"include": true}}
			c.marked = strings.HasPrefix(c.model, "anthropic/")
		},
	}
}
