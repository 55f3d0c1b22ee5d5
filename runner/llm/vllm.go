package llm

// vllmProvider is a vLLM server, or any self-hosted server that speaks chat completions.
func vllmProvider() Provider {
	return Provider{
		Name: "vllm", Title: "vLLM", BaseURL: "http://localhost:8000/v1", Anywhere: true, Keyless: true,
		KeyEnv: []string{"VLLM_API_KEY"}, URLEnv: []string{"VLLM_BASE_URL"},
	}
}
