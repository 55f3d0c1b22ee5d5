package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Service is a provider of chat completions, as its documentation or its source describes it: its URLs, what it
// rejects, and the shape of its replies and errors.
type Service struct {
	Name string
	// Model is a model that it serves, under the name that requests use.
	Model string
	// Base is the path of its base URL.
	Base string

	// lists has its lists of models, by path.
	lists map[string]string
	// refuse is its reply to a request that violates its rules; nil if the request follows them.
	refuse func(c chatCall) *Reply
	// dress adds the service's own fields to a complete reply or to an event of a streamed one; may be nil.
	dress func(event map[string]any)
	// opening sends the events before a stream's first piece; may be nil.
	opening func(e *events)
	// thought is the piece of a reply with the model's reasoning; nil if the service does not show it.
	thought func(text string) map[string]any
	// used is how it reports what a call used.
	used func(u usage) map[string]any
	// usesChoice means that the event with the usage has a choice.
	usesChoice bool
	// broken ends a stream with a temporary error.
	broken func(e *events)
	// errors has its errors, by the kind that clients should map them to.
	errors map[string]Reply
	// wait adds the time to wait to a refusal; nil: in the header Retry-After.
	wait func(r *Reply, seconds float64)
}

// usage is what a call used. Reasoning is part of completion.
type usage struct {
	prompt, completion, cached, reasoning, written int
	cost                                           *float64
}

// Services returns the providers of chat completions.
func Services() []Service {
	return []Service{openAI(), azure(), gemini(), openRouter(), ollama(), vllm()}
}

// ServiceKey is the key that every service accepts.
const ServiceKey = "sk-test-0123456789abcdef"

// StartService serves the replies of answer, which is called concurrently, as the service would.
func StartService(service Service, answer func(Request) Reply) *Server {
	return (&Server{answer: answer, service: &service}).start()
}

// PlayService serves the rules as the service would: see Start.
func PlayService(service Service, rules ...Rule) *Server {
	s := &Server{service: &service}
	for _, r := range rules {
		s.rules = append(s.rules, &r)
	}
	s.answer = s.fromRules
	return s.start()
}

// Failure is an error of the service, of a kind that clients should distinguish: rate_limit, unavailable, auth,
// quota, context_too_long, bad_request or content_filter. seconds is the time to wait that it asks for, if not 0.
func (s Service) Failure(kind string, seconds float64) Reply {
	r, ok := s.errors[kind]
	if !ok {
		panic("the fake " + s.Name + " has no error of kind " + kind)
	}
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	switch {
	case seconds == 0:
	case s.wait != nil:
		s.wait(&r, seconds)
	default:
		r.Header["Retry-After"] = strconv.FormatFloat(seconds, 'f', -1, 64)
	}
	return r
}

// list answers a request for the list of models, which needs the same key as a call.
func (s Service) list(w http.ResponseWriter, r *http.Request) {
	reply := Reply{Body: s.lists[r.URL.Path]}
	call := chatCall{path: r.URL.Path, query: r.URL.Query(), header: r.Header}
	if reply.Body == "" {
		reply = s.Failure("bad_request", 0)
	} else if refused := s.refuse(call); refused != nil {
		reply = *refused
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(max(reply.Status, http.StatusOK))
	fmt.Fprint(w, reply.Body)
}

// chatCall is a request, as a service checks it. One for the list of models has no fields.
type chatCall struct {
	path   string
	query  url.Values
	header http.Header
	fields map[string]json.RawMessage

	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Stream        bool             `json:"stream"`
	StreamOptions *json.RawMessage `json:"stream_options"`
	MaxTokens     *int             `json:"max_tokens"`
	Temperature   *float64         `json:"temperature"`
	Effort        *string          `json:"reasoning_effort"`
	Format        *responseFormat  `json:"response_format"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// readCall reads a request; if the body is not JSON, the call has no fields.
func readCall(r *http.Request, body []byte) chatCall {
	c := chatCall{path: r.URL.Path, query: r.URL.Query(), header: r.Header}
	c.fields = map[string]json.RawMessage{}
	_ = json.Unmarshal(body, &c.fields)
	_ = json.Unmarshal(body, &c)
	return c
}

// bearer is the bearer token.
func (c chatCall) bearer() string {
	const scheme = "Bearer "
	if h := c.header.Get("Authorization"); len(h) > len(scheme) && h[:len(scheme)] == scheme {
		return h[len(scheme):]
	}
	return ""
}

// lists reports whether the request is for the list of models.
func (c chatCall) lists() bool { return c.fields == nil }

// unknown is the first field that is not among the known ones; "" if there is none.
func (c chatCall) unknown(known []string) string {
	for _, name := range slices.Sorted(maps.Keys(c.fields)) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// chatFieldNames returns the fields of OpenAI's chat completions, from its reference.
func chatFieldNames() []string {
	return []string{
		"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
		"max_tokens",
		"messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction", "presence_penalty",
		"prompt_cache_key",
		"prompt_cache_retention", "prompt_cache_options", "reasoning_effort", "response_format", "safety_identifier",
		"seed", "service_tier",
		"stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p",
		"user", "verbosity",
		"web_search_options",
	}
}
