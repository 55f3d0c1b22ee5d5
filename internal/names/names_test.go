package names_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// Each name resolves to a provider and an address, and the provider's key is sent only there.
func TestWhereANameLeads(t *testing.T) {
	all := env("OPENAI_API_KEY", "o-key", "ANTHROPIC_API_KEY", "a-key", "GEMINI_API_KEY", "g-key", "OPENROUTER_API_KEY",
		"r-key",
		"AZURE_OPENAI_API_KEY", "z-key", "AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/")
	for _, c := range []struct {
		env                                      func(string) string
		name, provider, served, base, key, error string
	}{
		{all, "anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "", "a-key", ""},
		{all, "openai/gpt-5", "openai", "gpt-5", "", "o-key", ""},
		{all, "gemini/gemini-2.5-pro", "gemini", "gemini-2.5-pro", "", "g-key", ""},
		{all, "openrouter/meta-llama/llama-3.3-70b", "openrouter", "meta-llama/llama-3.3-70b", "", "r-key", ""},
		{all, "openrouter/openai/gpt-5", "openrouter", "openai/gpt-5", "", "r-key", ""},
		{all, "azure/my-deployment", "azure", "my-deployment", "https://x.openai.azure.com/", "z-key", ""},
		{all, "ollama/qwen3:8b", "ollama", "qwen3:8b", "", "", ""},
		{all, "ollama@gpu7/qwen3:8b", "ollama", "qwen3:8b", "http://gpu7", "", ""},
		{all, "vllm@gpu7:8000/Qwen/Qwen3-32B", "vllm", "Qwen/Qwen3-32B", "http://gpu7:8000", "", ""},
		{all, "vllm@http://gpu7:8000/v1/Qwen/Qwen3-32B", "vllm", "Qwen/Qwen3-32B", "http://gpu7:8000/v1", "", ""},
		{all, "vllm@https://h/prefix/v1/m", "vllm", "m", "https://h/prefix/v1", "", ""},
		{all, "vllm@gpu7:8000", "", "", "", "", ""},
		{all, "anthropic@evil.example/claude", "", "", "", "", "to use another one, make a profile"},
		{all, "claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "", "a-key", ""},
		{all, "gpt-5-mini", "openai", "gpt-5-mini", "", "o-key", ""},
		{all, "gemini-2.5-flash", "gemini", "gemini-2.5-flash", "", "g-key", ""},
		{env("ANTHROPIC_API_KEY", "a-key"), "anything", "anthropic", "anything", "", "a-key", ""},
		{env("OPENAI_API_KEY", "o-key"), "meta-llama/llama-3", "openai", "meta-llama/llama-3", "", "o-key", ""},
		{env(), "gpt-5", "", "", "", "", "no key or endpoint"},
		{env("OLLAMA_HOST", "h"), "gpt-5", "", "", "", "", "no key or endpoint"},
		{env(), "anthropic/claude", "", "", "", "", "ANTHROPIC_API_KEY"},
		{env(), "  ", "", "", "", "", "no model is named"},
	} {
		r := names.New(names.Config{Getenv: c.env})
		if c.name == "vllm@gpu7:8000" {
			_, err := r.Resolve(t.Context(), c.name)
			require.ErrorContains(t, err, "names no model")
			continue
		}
		got, err := r.Resolve(t.Context(), c.name)
		if c.error != "" {
			require.ErrorContains(t, err, c.error, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, []string{c.name, c.provider, c.served, c.base, c.key},
			[]string{got.Name, got.Provider.Name, got.Served, got.BaseURL, got.Key.Reveal()})
	}
}

// TestAddressesOfModels: only models that were looked up have an address, and a fallback does not change it.
func TestAddressesOfModels(t *testing.T) {
	r := names.New(names.Config{
		Getenv: env("OPENAI_API_KEY", "k"), Fallback: []string{"ollama@spare/b"},
	})
	for name, want := range map[string]string{
		"ollama@gpu7/a": "http://gpu7:11434/v1", "openai/gpt-5": "https://api.openai.com/v1",
	} {
		require.Empty(t, r.Address(name))
		_, err := r.Model(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, r.Address(name))
	}
}

func TestAMisspeltProvider(t *testing.T) {
	t.Parallel()
	_, err := names.New(names.Config{Getenv: env("OPENAI_API_KEY", "k")}).Resolve(t.Context(), "antropic/claude-x")
	require.EqualError(t, err, "there is no provider antropic: did you mean anthropic/claude-x?")
	got, err := names.New(names.Config{Getenv: env("OPENROUTER_API_KEY", "k")}).Resolve(
		t.Context(), "meta-llama/llama-3.3-70b")
	require.NoError(t, err)
	require.Equal(t, "meta-llama/llama-3.3-70b", got.Served, "makers are no providers")
	got, err = names.New(names.Config{BaseURL: "http://localhost:8000/v1"}).Resolve(t.Context(), "antropic/claude-x")
	require.NoError(t, err)
	require.Equal(t, "antropic/claude-x", got.Served, "an endpoint of one's own may have such names")
}

// If one endpoint is set for all names, as with a gateway, names are passed on unchanged, unless their first part
// is a provider with a key.
func TestOneEndpointForAll(t *testing.T) {
	cfg := names.Config{
		BaseURL: "https://gateway.example/v1", APIKey: llm.NewSecret("gw"),
		Getenv: env("GEMINI_API_KEY", "g-key"),
	}
	r := names.New(cfg)
	for name, want := range map[string][]string{
		"m":                  {"openai", "m", "gw"},
		"meta-llama/x":       {"openai", "meta-llama/x", "gw"},
		"anthropic/claude-x": {"openai", "anthropic/claude-x", "gw"},
		"openai/gpt-5":       {"openai", "gpt-5", "gw"},
		"gemini/gemini-x":    {"gemini", "gemini-x", "g-key"},
	} {
		got, err := r.Resolve(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, []string{got.Provider.Name, got.Served, got.Key.Reveal()}, name)
	}
	cfg.BaseURL = "https://openrouter.ai/api/v1"
	got, err := names.New(cfg).Resolve(t.Context(), "openai/gpt-5")
	require.NoError(t, err)
	require.Equal(t, "openai/gpt-5", got.Served, "OpenRouter's names have makers in them")
}

// A bare name that is in no table belongs to the only provider that lists it.
func TestABareNameIsLookedUpInLists(t *testing.T) {
	here := fakeapi.Start()
	defer here.Close()
	there := fakeapi.Start()
	defer there.Close()
	r := names.New(names.Config{Getenv: env("ANTHROPIC_API_KEY", "a", "ANTHROPIC_BASE_URL", here.URL(),
		"GEMINI_API_KEY", "g", "GEMINI_BASE_URL", "http://127.0.0.1:1/v1")})
	got, err := r.Resolve(t.Context(), "fake:latest")
	require.NoError(t, err)
	require.Equal(t, "anthropic", got.Provider.Name)
	_, err = r.Resolve(t.Context(), "other")
	require.ErrorContains(t, err, "anthropic/other, gemini/other")

	r = names.New(names.Config{
		Getenv: env("ANTHROPIC_API_KEY", "a", "ANTHROPIC_BASE_URL", here.URL(), "VLLM_BASE_URL", there.URL()),
	})
	_, err = r.Resolve(t.Context(), "fake:latest")
	require.ErrorContains(t, err,
		"several providers have a model fake:latest: use one of anthropic/fake:latest, vllm/fake:latest")
}

func TestProfiles(t *testing.T) {
	var file struct {
		Models map[string]names.Profile `toml:"models"`
	}
	require.NoError(t, toml.Unmarshal([]byte(`
[models.fast]
model = "anthropic/claude-haiku-4-5"
window = 50_000
requests_per_minute = 10
fallback = ["slow"]
[models.slow]
model = "gpt-5"
[models.local]
model = "Qwen/Qwen3"
base_url = "http://localhost:8000/v1"
price = { input = 0.2, output = 0.6 }
[models.mine]
model = "azure/dep"
like = "gpt-4o"
key_env = "MY_KEY"
extra_body = { top_k = 5 }
headers = { X-Team = "research-4711" }
[models.safe]
model = "openai/m"
base_url = "https://elsewhere.example/v1"
[models.command]
model = "openai/m"
key_command = ["echo", "from-a-command"]
[models.failing]
model = "openai/m"
key_command = ["false"]
[models.empty]
[models.round]
model = "fast"
`), &file))
	r := names.New(names.Config{Profiles: file.Models, Getenv: env("ANTHROPIC_API_KEY", "a-key", "OPENAI_API_KEY",
		"o-key", "MY_KEY", "mine", "AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com")})
	for name, want := range map[string][]string{
		"fast": {"anthropic", "claude-haiku-4-5", "a-key"}, "slow": {"openai", "gpt-5", "o-key"},
		"local": {"openai", "Qwen/Qwen3", ""},
		"mine":  {"azure", "dep", "mine"}, "safe": {"openai", "m", ""}, "command": {"openai", "m", "from-a-command"},
	} {
		got, err := r.Resolve(t.Context(), name)
		require.NoError(t, err, name)
		require.Equal(t, want, []string{got.Provider.Name, got.Served, got.Key.Reveal()}, name)
	}
	for name, text := range map[string]string{
		"failing": "the command for its key, false, failed",
		"empty":   "names no model", "round": "refers to profile fast",
	} {
		_, err := r.Resolve(t.Context(), name)
		require.ErrorContains(t, err, text)
	}
	fast, err := r.Model(t.Context(), "fast")
	require.NoError(t, err)
	require.Equal(t, "fast", fast.Name())
	require.IsType(t, &llm.Fallback{}, fast)
	require.Equal(t, int64(50_000), llm.FactsOf(fast).Window)
	require.Equal(t, 1.0, llm.FactsOf(fast).Price.Input)
	again, err := r.Model(t.Context(), "fast")
	require.NoError(t, err)
	require.Same(t, fast, again, "limits hold for all who ask for it")
	local, err := r.Client(t.Context(), "local")
	require.NoError(t, err)
	require.Equal(t, llm.Price{Input: 0.2, Output: 0.6}, *local.Facts().Price)
	require.Zero(t, local.Facts().Window, "what is unknown stays unknown")
	mine, err := r.Client(t.Context(), "mine")
	require.NoError(t, err)
	require.Equal(t, int64(128_000), mine.Facts().Window)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", mine, mine, mine), "mine-")
}

// Output about names contains no key, whether it shows where a name leads, where it is looked up, or a profile.
func TestNothingShownHoldsAKey(t *testing.T) {
	const key = "sk-ant-api03-0123456789abcdefghij"
	cfg := names.Config{
		BaseURL: "https://me:" + key + "@gateway.example/v1", APIKey: llm.NewSecret(key),
		Profiles: map[string]names.Profile{"p": {
			Model: "openai/m", BaseURL: "https://me:" + key + "@host.example/v1", KeyCommand: []string{"echo", key},
			Headers:   map[string]llm.Secret{"X-Key": llm.NewSecret(key)},
			ExtraBody: map[string]any{"auth": key, "deep": map[string]any{"list": []any{key, 5, true}}},
		}},
	}
	target, err := names.New(cfg).Resolve(t.Context(), "p")
	require.NoError(t, err)
	require.Equal(t, key, target.Key.Reveal())
	public := cfg.Profiles["p"].Public()
	for _, v := range []any{cfg, &cfg, target, &target, struct{ T names.Target }{target}, public, target.Key} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			require.NotContains(t, fmt.Sprintf(verb, v), key, verb)
		}
	}
	text, err := toml.Marshal(public)
	require.NoError(t, err)
	require.NotContains(t, string(text), key)
	require.Contains(t, string(text), "host.example")
	require.Equal(t, key, cfg.Profiles["p"].KeyCommand[1], "the profile itself is as it was")
}

func TestStoredKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rlm", "keys.toml")
	f := names.NewKeyFile(path)
	key, err := f.Get("anthropic")
	require.NoError(t, err)
	require.True(t, key.Empty())
	require.NoError(t, f.Set("anthropic", llm.NewSecret("sk-ant-1")))
	require.NoError(t, f.Set("fast", llm.NewSecret("sk-2")))
	require.Error(t, f.Set("x", llm.NewSecret("two words")))
	require.Error(t, f.Set("x", llm.Secret{}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	got, err := names.New(names.Config{Keys: names.NewKeyFile(path)}).Resolve(t.Context(), "anthropic/claude")
	require.NoError(t, err)
	require.Equal(t, "sk-ant-1", got.Key.Reveal())
	require.Equal(t, "the key file", got.KeyFrom)

	f = names.NewKeyFile(path)
	list, err := f.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"anthropic", "fast"}, list)
	gone, err := f.Remove("fast")
	require.NoError(t, err)
	require.True(t, gone)
	gone, err = f.Remove("fast")
	require.NoError(t, err)
	require.False(t, gone)

	require.NoError(t, os.Chmod(path, 0o640))
	_, err = names.NewKeyFile(path).Get("anthropic")
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.WriteFile(path, []byte("anthropic = sk-ant-1"), 0o600))
	require.NoError(t, os.Chmod(path, 0o600))
	_, err = names.NewKeyFile(path).Get("anthropic")
	require.ErrorContains(t, err, "damaged")
	require.NotContains(t, err.Error(), "sk-ant")
}
