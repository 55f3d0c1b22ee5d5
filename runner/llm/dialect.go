package llm

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/lazy"
)

// formatLevel is how an endpoint is asked for JSON.
type formatLevel int

const (
	formatSchema formatLevel = iota // response_format json_schema
	formatObject                    // response_format json_object, the schema in the prompt
	formatPrompt                    // the schema in the prompt
)

// speech is how an endpoint wants to be spoken to where "OpenAI-compatible" leaves room. Only wordings that
// mean the same are exchanged; a setting of the user's that is refused (a temperature, a reasoning effort)
// is an error.
type speech struct {
	maxTokens       string // max_tokens or max_completion_tokens
	swapped         bool   // the other name was tried
	noStreamOptions bool
	format          formatLevel
	thinking        string // how a Claude is asked to think, if another way was refused
	output          int    // the most tokens of a reply, if more was refused
}

// dialect is what a client has learnt of its endpoint.
type dialect struct {
	mu      sync.Mutex
	current speech
}

func (d *dialect) now() speech {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current
}

// knowsBetter reports whether a failed request can be said in other words.
func (d *dialect) knowsBetter(used speech, req Request, f failure) bool {
	_, ok := reworded(used, req, f)
	return ok
}

// learn takes the lesson of a failed request. It reports whether to ask again.
func (d *dialect) learn(used speech, req Request, f failure) bool {
	better, ok := reworded(used, req, f)
	if !ok {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current == used {
		d.current = better
	}
	return true
}

// reworded is the way to say a request that the endpoint refused in these words.
func reworded(s speech, req Request, f failure) (speech, bool) {
	switch f.status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
	default:
		return s, false
	}
	if f.kind() == ErrContextTooLong || f.kind() == ErrContentFilter {
		return s, false
	}
	words := strings.ToLower(f.message)
	switch {
	case !req.NoStream && !s.noStreamOptions && strings.Contains(words, "stream_options"):
		s.noStreamOptions = true
	case req.MaxTokens > 0 && !s.swapped && strings.Contains(words, s.maxTokens) && contains(words, unknownWords):
		s.swapped = true
		s.maxTokens = map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[s.maxTokens]
	case req.ReasoningEffort != "" && req.ReasoningEffort != "none" && s.thinking == "" && contains(words, thinkingWords):
		s.thinking = thinkBudget
		if strings.Contains(words, "budget_tokens") || strings.Contains(words, "enabled") {
			s.thinking = thinkAdaptive
		}
	case req.MaxTokens == 0 && s.output == 0 && mostOutput(words) > 0:
		s.output = mostOutput(words)
	case req.Format != nil && s.format < formatPrompt && contains(words, formatWords):
		s.format++
	default:
		return s, false
	}
	return s, true
}

// mostOutput reads the limit of a reply from what Anthropic says of one that is too large.
func mostOutput(words string) int {
	if m := tooMuchOutput().FindStringSubmatch(words); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

var tooMuchOutput = lazy.Regexp(`max_tokens: \d+ > (\d+), which is the maximum`)

var (
	thinkingWords = []string{"adaptive", "thinking.type", "thinking.enabled", "budget_tokens"}
	unknownWords  = []string{"unsupported", "not supported", "unrecognized", "unknown", "unexpected", "extra", "not permitted", "use 'max"}
	formatWords   = []string{"response_format", "json_schema", "json_object", "json mode", "schema", "output_format", "output_config", "structured output", "structured_output", "grammar", "guided"}
)
