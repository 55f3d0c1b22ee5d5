package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// wireUsage is the usage of a call as an endpoint reports it.
type wireUsage struct {
	Prompt     float64
	Completion float64
	Total      float64
	Cost       *float64 // US dollars
	Reasoning  float64  // part of Completion
	Cached     float64  // part of Prompt
	Written    float64  // part of Prompt
	Hour       float64  // part of Written
}

// count reads the usage of an event of chat completions; an unreadable one must not cost the reply. go-openai does
// not decode the cost, the tokens written to the cache, or numbers with a decimal point or beyond an int. If apart
// is set, only the total includes the tokens of thoughts.
func (r *reply) count(event []byte, apart bool) {
	value, _ := decoded(event)
	told, _ := value.(map[string]any)
	groq, _ := told["x_groq"].(map[string]any)
	places := []any{told["usage"], told["usageMetadata"], groq["usage"]} // usageMetadata is Gemini's
	choices, _ := told["choices"].([]any)
	for _, choice := range choices {
		c, _ := choice.(map[string]any)
		places = append(places, c["usage"]) // Kimi reports it with a choice
	}
	for _, place := range places {
		if u, ok := usageIn(place); ok {
			u.Cost = cmp.Or(u.Cost, numberOf(told["cost"]))
			r.use(u, apart)
			return
		}
	}
}

// tells reports whether an event may contain a usage: most events have none, or null.
func tells(event []byte) bool {
	at := bytes.Index(event, []byte(`"usage`))
	if at < 0 {
		return false
	}
	_, value, _ := bytes.Cut(event[at:], []byte(":"))
	return !bytes.HasPrefix(bytes.TrimLeft(value, " "), []byte("null")) || bytes.Contains(value, []byte(`"usage`))
}

// use adds a usage. If it has only the cost, the tokens known so far stay.
func (r *reply) use(u wireUsage, apart bool) {
	if before := r.usage; before != nil {
		u.Cost = cmp.Or(u.Cost, before.Cost)
		if u.Prompt == 0 && u.Completion == 0 {
			before.Cost = u.Cost
			return
		}
		u.Prompt, u.Completion = later(u.Prompt, before.Prompt), later(u.Completion, before.Completion)
		u.Reasoning, u.Cached = later(u.Reasoning, before.Reasoning), later(u.Cached, before.Cached)
		u.Written, u.Hour = later(u.Written, before.Written), later(u.Hour, before.Hour)
	}
	beyond := u.Total - u.Prompt - u.Completion
	switch {
	case apart && beyond > 0:
		u.Completion += beyond
		u.Reasoning = beyond
	case u.Reasoning > 0 && beyond == u.Reasoning: // xAI leaves thoughts out of Completion
		u.Completion += beyond
	}
	r.usage = &u
}

// later is the number of a later usage, or that of the earlier one if the later usage omits it.
func later(n, before float64) float64 {
	if n > 0 {
		return n
	}
	return before
}

// left computes the one missing number from a total. Without a usable total the result is NaN, and the number is
// estimated later.
func left(total, told float64) float64 {
	if total > 0 && total >= told {
		return total - told
	}
	return math.NaN()
}

// usageIn reads a usage in any form. It reports whether there is one.
func usageIn(value any) (u wireUsage, ok bool) {
	fields, is := value.(map[string]any)
	if !is {
		return u, false
	}
	malformed, told := false, map[string]bool{}
	first := func(what string) (n float64) {
		for _, name := range knownForms().Usage[what] {
			if v := number(fields, name); v != nil && n == 0 {
				n, told[what] = *v, true
			} else if v == nil && fields[name] != nil {
				malformed = true
			}
		}
		return n
	}
	u = wireUsage{Prompt: first("prompt"), Completion: first("completion"), Total: first("total")}
	if malformed {
		return wireUsage{}, false
	}
	u.Reasoning, u.Cached, u.Written = first("reasoning"), first("cached"), first("written")
	u.Hour = first("written_hour")
	switch {
	case told["prompt"] && !told["completion"] && u.Reasoning == 0:
		u.Completion = left(u.Total, u.Prompt)
	case told["completion"] && !told["prompt"]:
		u.Prompt = left(u.Total, u.Completion)
	}
	if fields["candidatesTokenCount"] != nil { // Gemini's own form does not count thoughts as part of the reply
		u.Completion += u.Reasoning
	}
	cached := fields["cache_read_input_tokens"] != nil || fields["cache_creation_input_tokens"] != nil
	if cached && fields["prompt_tokens"] == nil {
		u.Prompt += u.Cached + u.Written // Anthropic's form does not count these as part of the prompt
	}
	u.Cost = costIn(fields)
	return u, u.Prompt != 0 || u.Completion != 0 || u.Total != 0 || u.Cost != nil
}

// costIn is the cost in a usage, nil if there is none. With the user's own provider key (BYOK), the reported cost
// is OpenRouter's fee, and the provider's price is separate; if that price is missing, the cost is unknown, not 0.
func costIn(fields map[string]any) (cost *float64) {
	for _, name := range knownForms().Usage["cost"] {
		cost = cmp.Or(cost, number(fields, name))
	}
	if ticks := number(fields, "cost_in_usd_ticks"); cost == nil && ticks != nil { // xAI's unit
		usd := *ticks / 1e10
		cost = &usd
	}
	var upstream *float64
	for _, name := range knownForms().Usage["upstream"] {
		upstream = cmp.Or(upstream, number(fields, name))
	}
	if parts, told := 0.0, false; upstream == nil {
		for _, name := range knownForms().Usage["upstream_part"] {
			if v := number(fields, name); v != nil {
				parts, told = parts+*v, true
			}
		}
		if told {
			upstream = &parts
		}
	}
	byok := fields["is_byok"] == true || fields["is_byok"] == "true"
	switch {
	case upstream != nil && *upstream > 0 && (byok || cost == nil || *cost == 0):
		sum := *upstream
		if cost != nil {
			sum += *cost
		}
		return &sum
	case byok:
		return nil
	}
	return cost
}

// number returns the number at a path of an object, which may be quoted; nil if there is none.
func number(fields map[string]any, path string) *float64 {
	name, rest, deeper := strings.Cut(path, ".")
	if deeper {
		inner, is := fields[name].(map[string]any)
		if !is {
			return nil
		}
		return number(inner, rest)
	}
	return numberOf(fields[name])
}

func numberOf(v any) *float64 {
	text := ""
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimPrefix(strings.TrimSpace(v), "$")
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return nil
	}
	return &n
}

// headerCost is the cost in a gateway's response headers, nil if there is none.
func headerCost(h http.Header) *float64 {
	cost := numberOf(h.Get("X-Litellm-Response-Cost"))
	if cost != nil && *cost > 0 {
		return cost
	}
	return nil
}

// Bounds of plausible numbers. Budgets count these numbers, so one absurd value must not end a run.
const (
	mostTokens  = 10_000_000 // tokens of a prompt or a reply: several times the largest window
	freeTokens  = 100_000    // tokens of a prompt beyond its text, for an endpoint's own template
	mostDollars = 10_000     // cost of one call
)

// counts converts the usage. Numbers of tokens that are missing or implausible are replaced by estimates from the
// texts. The cost is nil if it is missing or implausible.
func (u *wireUsage) counts(received int64, req Request) (Usage, *float64) {
	size := 0
	for _, m := range req.Messages {
		size += len(m.Content)
	}
	prompt, completion := u.Prompt, u.Completion
	sum := prompt == 0 && completion == 0 && u.Total > 0 // only the total is reported
	if sum {
		prompt = min(u.Total, float64(req.tokens()))
		completion = u.Total - prompt
	}
	var out Usage
	var guessed [2]bool
	out.Prompt, guessed[0] = believable(prompt, min(mostTokens, freeTokens+4*float64(size)), req.tokens())
	out.Completion, guessed[1] = believable(completion, mostTokens, received)
	out.Estimated = guessed[0] || guessed[1] || sum
	if prompt == 0 && completion == 0 { // only the cost is reported
		out.Prompt, out.Completion, out.Estimated = req.tokens(), received, true
	}
	reasoning, _ := believable(u.Reasoning, mostTokens, 0)
	cached, _ := believable(u.Cached, mostTokens, 0)
	written, _ := believable(u.Written, mostTokens, 0)
	out.Reasoning, out.Cached = min(reasoning, out.Completion), min(cached, out.Prompt)
	out.CacheWritten = min(written, out.Prompt-out.Cached)
	hour, _ := believable(u.Hour, mostTokens, 0)
	out.CacheWrittenHour = min(hour, out.CacheWritten)
	if u.Cost == nil || !(*u.Cost >= 0 && *u.Cost <= mostDollars) {
		return out, nil
	}
	return out, u.Cost
}

// believable returns a reported number of tokens, 0 if it is negative, and the estimate if it is too large.
func believable(reported, most float64, estimate int64) (n int64, guessed bool) {
	if math.IsNaN(reported) || reported > most {
		return estimate, true
	}
	return int64(max(reported, 0)), false
}
