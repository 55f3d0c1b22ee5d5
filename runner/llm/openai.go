package llm

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// openAIProvider is OpenAI, and every endpoint that speaks its chat completions and has no entry of its own.
func openAIProvider() Provider {
	return Provider{
		Name: "openai", Title: "OpenAI", BaseURL: DefaultBaseURL,
		KeyEnv: []string{"OPENAI_API_KEY"}, URLEnv: []string{"OPENAI_BASE_URL"},
		prepare: func(c *Client) {
			if c.provider.At(c.baseURL) {
				c.dialect.current.maxTokens = "max_completion_tokens"
			}
		},
	}
}
