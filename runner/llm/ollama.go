package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ollamaProvider is Ollama behind its OpenAI layer.
func ollamaProvider() Provider {
	return Provider{
		Name: "ollama", Title: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Anywhere: true, Keyless: true,
		KeyEnv: []string{"OLLAMA_API_KEY"}, URLEnv: []string{"OLLAMA_HOST"},
		Missing: []string{"the window is the server's (OLLAMA_CONTEXT_LENGTH): longer prompts are cut silently"},
		base: func(raw string) string {
			if strings.HasSuffix(raw, "/v1") {
				return raw
			}
			return ollamaURL(raw) + "/v1"
		},
	}
}

// Ollama is a running local Ollama server.
type Ollama struct {
	BaseURL string   // base URL of its OpenAI-compatible endpoint
	Models  []string // names of models that can chat, the latest first
}

// FindOllama looks for a local Ollama server. host has the form of Ollama's own OLLAMA_HOST: a host, host:port or
// URL; empty means the default, 127.0.0.1:11434. It returns within half a second.
func FindOllama(ctx context.Context, host string) (Ollama, error) {
	base := ollamaURL(host)
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/tags", nil)
	if err != nil {
		return Ollama{}, fmt.Errorf("looking for Ollama: %s is not an address", PublicURL(host))
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return Ollama{}, fmt.Errorf("no Ollama answers at %s", base)
	}
	defer resp.Body.Close()
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(&tags); err != nil ||
		resp.StatusCode != http.StatusOK {
		return Ollama{}, fmt.Errorf("what answers at %s is not Ollama", base)
	}
	found := Ollama{BaseURL: base + "/v1"}
	for _, m := range tags.Models {
		if m.Name != "" && !strings.Contains(strings.ToLower(m.Name), "embed") {
			found.Models = append(found.Models, m.Name)
		}
	}
	if len(found.Models) == 0 {
		return Ollama{}, errors.New("Ollama answers at " + base + " but has no model (ollama pull a model first)")
	}
	return found, nil
}

// ollamaURL completes an address in the same way as Ollama's own client. A server bound to all addresses is reached
// through the loopback address.
func ollamaURL(host string) string {
	host = strings.TrimSpace(host)
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host
	}
	name, port := u.Hostname(), u.Port()
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	if port == "" {
		port = "11434"
	}
	return u.Scheme + "://" + net.JoinHostPort(name, port)
}
