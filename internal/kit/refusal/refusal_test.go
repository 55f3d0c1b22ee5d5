package refusal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/kit/refusal"
)

func TestSaid(t *testing.T) {
	for _, text := range []string{
		"I'm sorry, but I can't help with that.",
		"I’m sorry, but I can’t assist with that request.",
		"Sorry, I can't help you with this.",
		"I cannot assist with that.",
		"I can't help with that. If you have another question, let me know!",
		"I am unable to comply with this request.",
		"As an AI language model, I cannot help with that.",
		"I apologize, but I am not able to help with this request.",
		"I won't be able to help with this.",
		"Es tut mir leid, aber dabei kann ich dir nicht helfen.",
		"Es tut mir leid, ich kann Ihnen bei dieser Anfrage nicht weiterhelfen.",
		"Je suis désolé, mais je ne peux pas vous aider avec cela.",
		"Lo siento, pero no puedo ayudarte con eso.",
		"抱歉，我无法提供帮助。",
		"申し訳ありませんが、そのご要望にはお手伝いできません。",
	} {
		assert.True(t, refusal.Said(text), text)
	}
	for _, text := range []string{
		"", "cart 154", "I can't find a dentist in the text.", "I'm sorry, I cannot access files.",
		"I cannot answer this from the text: it does not name a dentist.",
		"Sorry, the log does not say which service it was.",
		"I can't tell which of the two you mean.", "I can help with that.",
		"The clerk said: I'm sorry, but I can't help with that.",
		"I cannot do the sum without the rates of June.",
		"Leider kann ich das im Text nicht finden.",
		"I'm sorry, but I can't help with that.\n\n```go\nFINAL(1)\n```",
		"I can't help with that. " + strings.Repeat("But the text says more. ", 20),
	} {
		assert.False(t, refusal.Said(text), text)
	}
}
