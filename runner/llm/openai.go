package llm

import "slices"

// defaultBaseURL is OpenAI's own endpoint.
const defaultBaseURL = "https://api.openai.com/v1"

// openAIProvider is OpenAI, and every endpoint that speaks its chat completions and has no entry of its own.
func openAIProvider() Provider {
	return Provider{
		Name: "openai", Title: "OpenAI", BaseURL: defaultBaseURL,
		KeyEnv: []string{"OPENAI_API_KEY"}, URLEnv: []string{"OPENAI_BASE_URL"},
		prepare: func(c *Client) {
			if c.provider.At(c.baseURL) {
				c.speech.Load().maxTokens = "max_completion_tokens"
			} else if c.cfg.Facts.Missing == nil { // at another endpoint a name says little: it is asked
				c.facts.Missing = slices.DeleteFunc(slices.Clone(c.facts.Missing), func(what string) bool { return what == lacksTemperature })
			}
		},
	}
}
