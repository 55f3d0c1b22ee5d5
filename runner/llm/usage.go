package llm

import (
	"encoding/json"
	"math"
)

// wireUsage is what an endpoint says that a call used.
type wireUsage struct {
	Prompt        float64  `json:"prompt_tokens"`
	Completion    float64  `json:"completion_tokens"`
	Total         float64  `json:"total_tokens"`
	Cost          *float64 `json:"cost"` // OpenRouter
	CacheHit      float64  `json:"prompt_cache_hit_tokens"`
	PromptDetails struct {
		Cached  float64 `json:"cached_tokens"`
		Written float64 `json:"cache_write_tokens"` // OpenAI, OpenRouter
		Hour    float64 `json:"-"`                  // part of Written; Anthropic
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// readUsage reads usage; nil if there is none, or none that can be read: a reply is not given up for it.
func readUsage(raw json.RawMessage) *wireUsage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	u := &wireUsage{}
	if json.Unmarshal(raw, u) != nil || u.Prompt == 0 && u.Completion == 0 {
		return nil
	}
	return u
}

// Bounds of what can be true. Budgets are counted in these numbers, so that one absurd number must not end
// a run.
const (
	mostTokens  = 10_000_000 // of a prompt or a reply: several times the largest window
	freeTokens  = 100_000    // that a prompt may have besides its text: an endpoint's own template
	mostDollars = 10_000     // of one call
)

// counts is the usage as far as it can be true; what cannot be is estimated from the texts. The cost is nil
// if it is not reported.
func (u *wireUsage) counts(resp Response, req Request) (Usage, *float64) {
	size := 0
	for _, m := range req.Messages {
		size += len(m.Content)
	}
	var out Usage
	var guessed [2]bool
	out.Prompt, guessed[0] = believable(u.Prompt, min(mostTokens, freeTokens+4*float64(size)), req.tokens())
	out.Completion, guessed[1] = believable(u.Completion, mostTokens, EstimateTokens(resp.Content)+EstimateTokens(resp.Reasoning))
	out.Estimated = guessed[0] || guessed[1]
	reasoning, _ := believable(u.CompletionDetails.Reasoning, mostTokens, 0)
	cached, _ := believable(max(u.PromptDetails.Cached, u.CacheHit), mostTokens, 0)
	written, _ := believable(u.PromptDetails.Written, mostTokens, 0)
	out.Reasoning, out.Cached = min(reasoning, out.Completion), min(cached, out.Prompt)
	out.CacheWritten = min(written, out.Prompt-out.Cached)
	hour, _ := believable(u.PromptDetails.Hour, mostTokens, 0)
	out.CacheWrittenHour = min(hour, out.CacheWritten)
	if u.Cost == nil || !(*u.Cost >= 0 && *u.Cost <= mostDollars) {
		return out, nil
	}
	return out, u.Cost
}

// believable is a reported number of tokens, 0 for a negative one, and the estimate for one that is too
// large.
func believable(reported, most float64, estimate int64) (n int64, guessed bool) {
	if math.IsNaN(reported) || reported > most {
		return estimate, true
	}
	return int64(max(reported, 0)), false
}
