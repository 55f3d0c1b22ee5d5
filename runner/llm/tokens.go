package llm

import "github.com/gorlm/rlm/internal/kit/text"

// EstimateTokens estimates the tokens of a text without a vocabulary: within about a fifth of the true number for
// prose, code and logs.
func EstimateTokens(s string) int64 { return int64(text.EstimateTokens(s)) }

// EstimateMessages estimates the tokens of a conversation, including four for the framing of each message.
func EstimateMessages(messages []Message) int64 {
	var n int64
	for _, m := range messages {
		n += 4 + EstimateTokens(m.Content)
	}
	return n
}
