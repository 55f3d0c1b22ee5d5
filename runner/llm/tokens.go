package llm

import "unicode/utf8"

// EstimateTokens estimates the tokens of a text without a vocabulary: four bytes of ASCII a token, a little
// more than two bytes of anything else (CJK, Cyrillic and emoji cost more). Within a quarter of the truth for prose and code.
func EstimateTokens(text string) int64 {
	ascii, other := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	if len(text) == 0 {
		return 0
	}
	return max(1, int64(float64(ascii)/4+float64(other)/2.4+0.5))
}

// EstimateMessages estimates the tokens of a conversation, with four for the frame of each message.
func EstimateMessages(messages []Message) int64 {
	var n int64
	for _, m := range messages {
		n += 4 + EstimateTokens(m.Content)
	}
	return n
}
