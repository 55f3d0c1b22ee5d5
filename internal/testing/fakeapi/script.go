package fakeapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parse reads rules from a text, so that a script reads like the conversation it plays:
//
//	=== model=root match="first question"
//	the reply, as many lines as it takes
//	=== status=429 header.Retry-After=1
//	slow down
//	=== fault=drop pieces=2
//	a reply that breaks off
//
// Every "===" line begins a rule. Its keys are those of Rule and Reply in lower case: model, match, times,
// finish, reasoning, reasoning_field, status, header.NAME, delay, piece_delay, piece_size, fault, pieces,
// prompt_tokens, completion_tokens, cached_tokens, cost, usage, no_usage and raw (the text is the whole
// body). With a status the text is the error's message.
func Parse(script string) ([]Rule, error) {
	var rules []Rule
	for i, part := range strings.Split("\n"+script, "\n===") {
		if i == 0 {
			continue
		}
		head, text, _ := strings.Cut(part, "\n")
		rule, err := parseRule(head, strings.TrimRight(text, "\n"))
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func parseRule(head, text string) (Rule, error) {
	r := Rule{Reply: Reply{Content: text}}
	fields, err := splitHead(head)
	if err != nil {
		return r, err
	}
	raw := false
	for _, f := range fields {
		key, value, _ := strings.Cut(f, "=")
		if key == "raw" {
			raw = true
		} else if err := r.set(key, value); err != nil {
			return r, fmt.Errorf("%s: %w", f, err)
		}
	}
	switch {
	case raw:
		r.Reply.Body, r.Reply.Content = text, ""
	case r.Reply.Status != 0:
		failing := Failing(r.Reply.Status, text)
		r.Reply.Body, r.Reply.Content = failing.Body, ""
	}
	return r, nil
}

func (r *Rule) set(key, value string) (err error) {
	reply := &r.Reply
	if name, ok := strings.CutPrefix(key, "header."); ok {
		if reply.Header == nil {
			reply.Header = map[string]string{}
		}
		reply.Header[http.CanonicalHeaderKey(name)] = value
		return nil
	}
	texts := map[string]*string{
		"model": &r.Model, "match": &r.Match, "finish": &reply.Finish, "reasoning": &reply.Reasoning,
		"reasoning_field": &reply.ReasoningField, "usage": &reply.Usage, "fault": (*string)(&reply.Fault),
	}
	numbers := map[string]*int{
		"times": &r.Times, "status": &reply.Status, "pieces": &reply.Pieces, "piece_size": &reply.PieceSize,
		"prompt_tokens": &reply.PromptTokens, "completion_tokens": &reply.CompletionTokens,
		"cached_tokens": &reply.CachedTokens,
	}
	times := map[string]*time.Duration{"delay": &reply.Delay, "piece_delay": &reply.PieceDelay}
	switch {
	case texts[key] != nil:
		*texts[key] = value
	case numbers[key] != nil:
		*numbers[key], err = strconv.Atoi(value)
	case times[key] != nil:
		*times[key], err = time.ParseDuration(value)
	case key == "no_usage":
		reply.NoUsage = true
	case key == "cost":
		var usd float64
		usd, err = strconv.ParseFloat(value, 64)
		reply.Cost = &usd
	default:
		err = fmt.Errorf("no such key")
	}
	return err
}

// splitHead splits at spaces outside double quotes, whose syntax is Go's.
func splitHead(head string) ([]string, error) {
	var fields []string
	for head = strings.TrimSpace(head); head != ""; head = strings.TrimSpace(head) {
		end := strings.IndexAny(head, " \"")
		if end < 0 {
			end = len(head)
		}
		field := head[:end]
		if head = head[end:]; strings.HasPrefix(head, `"`) {
			quoted, err := strconv.QuotedPrefix(head)
			if err != nil {
				return nil, fmt.Errorf("a quote is not closed in %s", head)
			}
			value, _ := strconv.Unquote(quoted)
			field, head = field+value, head[len(quoted):]
		}
		fields = append(fields, field)
	}
	return fields, nil
}
