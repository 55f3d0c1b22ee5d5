package llm

import "slices"

// defaultBaseURL is OpenAI's own endpoint.
const defaultBaseURL = "https://api.openai.com/v1"

// openAIProvider is OpenAI, and any endpoint that accepts its chat completions and has no entry here.
func openAIProvider() Provider {
	return Provider{
		Name: "openai", Title: "OpenAI", BaseURL: defaultBaseURL,
		KeyEnv: []string{"OPENAI_API_KEY"}, URLEnv: []string{"OPENAI_BASE_URL"},
		prepare: func(c *Client) {
			if c.provider.At(c.baseURL) {
				c.speech.Load().maxTokens = "max_completion_tokens"
			} else if c.cfg.Facts.Missing == nil { // elsewhere the name proves little: try it
				c.facts.Missing = slices.DeleteFunc(
					slices.Clone(c.facts.Missing), func(what string) bool { return what == lacksTemperature })
			}
		},
	}
}
