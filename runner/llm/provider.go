package llm

import (
	"net/http"
	"slices"
	"strings"
)

// Provider is a service, or a program, that serves models: where it is found and how it is spoken to. What is known of
// it stands in one file, and [Providers] is the one list of them.
type Provider struct {
	Name  string // the first part of the names of its models: anthropic/claude-…
	Title string // for people
	// BaseURL is where it is; empty if each user has one of their own.
	BaseURL string
	// KeyEnv, URLEnv and VersionEnv name the environment variables that usually hold its key, its base URL and the
	// version of its interface. The first that is set counts.
	KeyEnv, URLEnv, VersionEnv []string
	// Keyless says that it may be used without a key, as a program on this machine is.
	Keyless bool
	// Anywhere says that each user has a base URL of their own for it, which may stand in a model's name:
	// vllm@localhost:8000/NAME.
	Anywhere bool
	// Missing lists, in words for people, what is known not to work.
	Missing []string

	protocol protocol                        // nil: chatCompletions
	sign     func(h http.Header, key string) // nil: Authorization: Bearer
	base     func(raw string) string         // completes a base URL as people mean it; nil: /v1 for one without a path
	prepare  func(c *Client)                 // what is different about a client; nil: nothing
	listed   func(id string) string          // the name of a model, from its id in the provider's list; nil: the id as it is
}

// Providers lists the providers, those that most people mean first.
func Providers() []Provider {
	return []Provider{openAIProvider(), anthropicProvider(), geminiProvider(), azureProvider(), openRouterProvider(), ollamaProvider(), vllmProvider()}
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
	return strings.HasPrefix(baseURL, hostOf(p.BaseURL)) // which is no beginning of a URL where there is none
}

// hostOf is a URL up to its path.
func hostOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host + "/"
}

// bearerKey puts a key into a header as most endpoints want it.
func bearerKey(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// withEnd is a URL that ends in a path, which is added where it is missing.
func withEnd(url, path string) string {
	if strings.HasSuffix(url, path) {
		return url
	}
	return url + path
}
