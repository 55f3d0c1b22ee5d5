package llm

import "slices"

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// openAIProvider is OpenAI, and every endpoint that speaks its chat completions and has no entry of its own.
func openAIProvider() Provider {
	return Provider{
		Name: "openai", Title: "OpenAI", BaseURL: DefaultBaseURL,
		KeyEnv: []string{"OPENAI_API_KEY"}, URLEnv: []string{"OPENAI_BASE_URL"},
		prepare: func(c *Client) {
			switch {
			case c.provider.At(c.baseURL):
				c.dialect.current.maxTokens = "max_completion_tokens"
			case c.cfg.Facts.Missing == nil: // at another endpoint a name says little: it is asked
				c.facts.Missing = slices.DeleteFunc(slices.Clone(c.facts.Missing), func(what string) bool { return what == lacksTemperature })
			}
		},
	}
}
