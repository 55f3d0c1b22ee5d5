package llm

import (
	"net/http"
	"slices"
	"strings"
)

// Provider is a service, or a program, that serves models: its address and its interface. Each has its own file,
// and [Providers] is the only list of them.
type Provider struct {
	Name  string // the first part of the names of its models: anthropic/claude-…
	Title string // for people
	// BaseURL is its address; empty if each user has a different one.
	BaseURL string
	// KeyEnv, URLEnv and VersionEnv name the environment variables that usually contain its key, its base URL and
	// the version of its interface. The first one that is set is used.
	KeyEnv, URLEnv, VersionEnv []string
	// Keyless means that it can be used without a key, because it is a program on this machine.
	Keyless bool
	// Anywhere means that users have different base URLs, which may be part of a model's name:
	// vllm@localhost:8000/NAME.
	Anywhere bool
	// Missing lists, for people, the features that are known not to work.
	Missing []string

	protocol protocol                        // nil: chatCompletions
	sign     func(h http.Header, key string) // nil: Authorization: Bearer
	base     func(raw string) string         // completes a base URL; nil: adds /v1 to one without a path
	prepare  func(c *Client)                 // adapts a new client; may be nil
	listed   func(id string) string          // converts an id in the provider's list to a model's name; nil: unchanged
}

// Providers lists the providers, the most used first.
func Providers() []Provider {
	return []Provider{
		openAIProvider(), anthropicProvider(), geminiProvider(), azureProvider(), openRouterProvider(),
		ollamaProvider(), vllmProvider(),
	}
}

// ProviderNamed finds a provider by its name.
func ProviderNamed(name string) (Provider, bool) {
	all := Providers()
	i := slices.IndexFunc(all, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return all[i], true
}

// At reports whether a base URL is this provider's own.
func (p Provider) At(baseURL string) bool {
	return strings.HasPrefix(baseURL, hostOf(p.BaseURL)) // if BaseURL is empty, no URL has this prefix
}

// hostOf is a URL up to its path.
func hostOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host + "/"
}

// bearerKey adds a key to a header in the usual way.
func bearerKey(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// withEnd appends a path to a URL that does not end in it.
func withEnd(url, path string) string {
	if strings.HasSuffix(url, path) {
		return url
	}
	return url + path
}
