package llm

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// formatLevel is how an endpoint is asked for JSON.
type formatLevel int

const (
	formatSchema formatLevel = iota // response_format json_schema
	formatObject                    // response_format json_object, the schema in the prompt
	formatPrompt                    // the schema in the prompt
)

// requestStyle is how an endpoint wants to be spoken to where "OpenAI-compatible" leaves room. Only wordings that
// mean the same are exchanged; a setting of the user's that is refused (a temperature, a reasoning effort)
// is an error.
type requestStyle struct {
	maxTokens       string // max_tokens or max_completion_tokens
	swapped         bool   // the other name was tried
	noStreamOptions bool
	noStream        bool // replies come in one piece: the key may not stream, or the endpoint cannot
	noSystem        bool // what the system says stands in the first message of the user
	format          formatLevel
	thinking        string // how a Claude is asked to think, if another way was refused
	output          int    // the most tokens of a reply, if more was refused
}

// reworded is the way to say a request that the endpoint refused in these words; the same where there is no other.
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
		s.maxTokens = map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[s.maxTokens]
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

// mostOutput reads the limit of a reply from what Anthropic says of one that is too large.
func mostOutput(words string) int {
	if m := tooMuchOutput().FindStringSubmatch(words); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

var tooMuchOutput = startup.Regexp(`max_tokens: \d+ > (\d+), which is the maximum`)
