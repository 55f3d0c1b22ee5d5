package llm

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// formatLevel is a way to ask an endpoint for JSON.
type formatLevel int

const (
	formatSchema formatLevel = iota // response_format json_schema
	formatObject                    // response_format json_object, and the schema in the prompt
	formatPrompt                    // only the schema in the prompt
)

// requestStyle is how requests are written where "OpenAI-compatible" leaves a choice. A refused style is replaced
// only by an equivalent one; if a setting of the user (a temperature, a reasoning effort) is refused, the call
// fails.
type requestStyle struct {
	maxTokens       string // max_tokens or max_completion_tokens
	swapped         bool   // the other name has been tried
	noStreamOptions bool
	noStream        bool // replies arrive in one piece: the key or the endpoint cannot stream
	noSystem        bool // the system prompt is part of the first user message
	format          formatLevel
	thinking        string // how a Claude is asked to think, after it refused another way
	output          int    // the most tokens of a reply, after a larger limit was refused
}

// reworded returns another style for a refused request, or the same if there is no other.
func reworded(s requestStyle, req Request, f failure) requestStyle {
	switch f.status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented:
	default:
		return s
	}
	if f.kind() == ErrContextTooLong || f.kind() == ErrContentFilter {
		return s
	}
	words := strings.ToLower(f.message)
	says := func(what string) bool { return knownForms().holds(words, what) }
	if !req.NoStream && !s.noStreamOptions && strings.Contains(words, "stream_options") {
		s.noStreamOptions = true
	} else if !req.NoStream && !s.noStream && (f.param == "stream" || says("no_stream")) {
		s.noStream = true
	} else if f.status == http.StatusForbidden {
		return s
	} else if !s.noSystem && slices.ContainsFunc(req.Messages, func(m Message) bool { return m.Role == System }) &&
		says("no_system") && says("unknown") {
		s.noSystem = true
	} else if req.MaxTokens > 0 && !s.swapped && strings.Contains(words, s.maxTokens) && says("unknown") {
		s.swapped = true
		s.maxTokens = map[string]string{
			"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens",
		}[s.maxTokens]
	} else if req.ReasoningEffort != "" && req.ReasoningEffort != "none" && s.thinking == "" && says("thinking") {
		s.thinking = thinkBudget
		if strings.Contains(words, "budget_tokens") || strings.Contains(words, "enabled") {
			s.thinking = thinkAdaptive
		}
	} else if req.Format != nil && s.format < formatPrompt && says("format") {
		s.format++
	} else if req.MaxTokens == 0 {
		s.output = cmp.Or(s.output, mostOutput(words))
	}
	return s
}

// mostOutput extracts the model's limit from Anthropic's error about a reply limit that is too large.
func mostOutput(words string) int {
	if m := tooMuchOutput().FindStringSubmatch(words); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

var tooMuchOutput = startup.Regexp(`max_tokens: \d+ > (\d+), which is the maximum`)
