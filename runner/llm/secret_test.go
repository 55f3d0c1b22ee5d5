package llm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestTheKeyIsNowhere(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(401, "bad key "+testKey)})
	cfg := llm.Config{Model: "m", BaseURL: s.URL(), APIKey: llm.NewSecret(testKey)}
	c := client(t, s)
	holder := struct {
		cfg llm.Config
		c   *llm.Client
		in  any
	}{cfg, c, c}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, c), testKey)
		require.NotContains(t, fmt.Sprintf(verb, cfg), testKey)
		require.NotContains(t, fmt.Sprintf(verb, holder), testKey)
		require.NotContains(t, fmt.Sprintf(verb, &cfg.APIKey), testKey)
	}
	e := failure(t, c, ask("hi"))
	require.NotContains(t, e.Message, "sk-test")
	require.NotContains(t, fmt.Sprint(errors.Unwrap(e)), testKey)
}

// A key that does not look like one is hidden as well, and so is another one that does.
func TestKeysInWhatAnEndpointSays(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, "plainkey and sk-other-9876543210 and Bearer abcdef and http://me:pass@host/")})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.APIKey = llm.NewSecret("plainkey") }), ask("hi"))
	for _, secret := range []string{"plainkey", "sk-other", "abcdef", "pass"} {
		require.NotContains(t, e.Message, secret)
	}
	require.Contains(t, e.Message, "host/")
}
