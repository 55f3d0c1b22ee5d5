package llm

import "strings"

// Window is the context window of a well-known model in tokens (prompt and reply together); false when the
// model is not known.
func Window(model string) (int64, bool) {
	for _, name := range spellings(model) {
		for _, w := range windows {
			if strings.HasPrefix(strings.ToLower(name), w.prefix) {
				return w.tokens, true
			}
		}
	}
	return 0, false
}

// windows is ordered: the first prefix that fits counts, so a longer one stands before a shorter one.
var windows = [...]struct {
	prefix string
	tokens int64
}{
	{"gpt-5-chat", 128_000},
	{"gpt-5", 400_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4o", 128_000},
	{"gpt-4.5", 128_000},
	{"gpt-4-turbo", 128_000},
	{"gpt-4", 8_192},
	{"gpt-3.5-turbo", 16_385},
	{"gpt-oss", 131_072},
	{"o1-mini", 128_000},
	{"o1", 200_000},
	{"o3", 200_000},
	{"o4-mini", 200_000},
	{"claude", 200_000},
	{"gemini-1.5-pro", 2_097_152},
	{"gemini", 1_048_576},
	{"deepseek", 128_000},
	{"grok-4-fast", 2_000_000},
	{"grok-4", 256_000},
	{"grok-3", 131_072},
	{"kimi-k2", 262_144},
	{"qwen3-coder", 262_144},
	{"llama-4-scout", 1_000_000},
	{"llama-3.1", 131_072},
	{"llama-3.3", 131_072},
	{"mistral-large", 131_072},
}
