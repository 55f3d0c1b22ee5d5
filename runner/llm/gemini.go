package llm

import "strings"

// geminiProvider is Google's Gemini behind its OpenAI layer. It differs in four ways: only the total includes the
// tokens of thoughts; a limit of calls per minute is reported as a used-up quota, with the wait in the body (see
// failure.wait); thoughts are between <thought> and </thought> at the start of the content; and the list of models
// has full resource names.
func geminiProvider() Provider {
	return Provider{
		Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
		KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, URLEnv: []string{"GEMINI_BASE_URL"},
		Missing:  []string{"thoughts are shown only in a profile with extra_body.extra_body.google.thinking_config.include_thoughts = true"},
		protocol: chatCompletions{thoughtsApart: true},
		base:     func(raw string) string { return withEnd(raw, "/openai") },
		listed:   func(id string) string { return strings.TrimPrefix(id, "models/") },
	}
}
