package llm_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

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

// The client's key is hidden even if it does not look like a key, and so is any other text that does.
func TestKeysInWhatAnEndpointSays(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Times: -1,
		Reply: fakeapi.Failing(400, "plainkey and sk-other-9876543210 and Bearer abcdef and http://me:pass@host/"),
	})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.APIKey = llm.NewSecret("plainkey") }), ask("hi"))
	for _, secret := range []string{"plainkey", "sk-other", "abcdef", "pass"} {
		require.NotContains(t, e.Message, secret)
	}
	require.Contains(t, e.Message, "host/")
}

// echoes returns the ways in which endpoints and proxies repeat a key.
func echoes(key string) []string {
	quoted := ""
	for _, r := range key {
		quoted += fmt.Sprintf(`\u%04x`, r)
	}
	half := len(key) / 2
	return []string{
		key, strings.ToUpper(key), "Bearer " + key, `x-api-key: ` + key, base64.StdEncoding.EncodeToString([]byte(key)),
		base64.RawURLEncoding.EncodeToString([]byte("user:" + key)),
		hex.EncodeToString([]byte(key)), quoted, key[:half] + " " + key[half:], key[:half] + "\\n" + key[half:],
		"https://me:" + key + "@host/v1", url.QueryEscape(key),
	}
}

// A key is in nothing that a call leaves behind, whatever the provider, the key, and the endpoint's failure: not
// in errors and their dumps, not in pieces, not in the response, the client or its configuration.
func TestAKeyIsNowhere(t *testing.T) {
	seed, rounds := uint64(15), 300
	if os.Getenv("RLM_LONG") != "" {
		seed, rounds = rand.Uint64(), 5000
	}
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	faults := []fakeapi.Fault{
		"", fakeapi.Drop, fakeapi.CutClean, fakeapi.Malformed, fakeapi.ErrorEvent, fakeapi.NoDone,
		fakeapi.NoFinish, fakeapi.NullContent, fakeapi.NoChoices, fakeapi.ToolCalls,
	}
	statuses := []int{200, 400, 401, 402, 403, 404, 413, 418, 422, 429, 500, 502, 503, 529}
	for n := range rounds {
		key := []string{"sk-", "sk-ant-api03-", "AIza", "", "gsk_", "key-"}[random.IntN(6)]
		for range 24 + random.IntN(20) {
			key += string(letters[random.IntN(len(letters))])
		}
		header := "hdr" + key[len(key)/2:] + "9f8e7d6c5b4a"
		all := echoes(key)
		said := all[random.IntN(len(all))]
		reply := fakeapi.Reply{Content: strings.Repeat("text ", 30), Fault: faults[random.IntN(len(faults))], Pieces: 1}
		if status := statuses[random.IntN(len(statuses))]; status != 200 {
			bodies := []string{
				`{"error":{"message":"bad %s","code":"%s","type":"%s"}}`, `{"error":"%s %s %s"}`,
				`[{"error":{"message":"%s","status":"%s","details":["%s"]}}]`,
				`{"detail":[{"msg":"%s","input":"%s","x":"%s"}]}`, "<html>%s %s %s</html>", "%s %s %s",
				`{"type":"error","error":{"type":"%s","message":"%s %s"}}`,
			}
			reply = fakeapi.Reply{
				Status: status, Body: fmt.Sprintf(bodies[random.IntN(len(bodies))], said, said, said),
				Header: map[string]string{"X-Echo": key, "Retry-After": "0"},
			}
		}
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: reply})
		providers := llm.Providers()
		cfg := llm.Config{
			Provider: providers[random.IntN(len(providers))].Name, Model: "m",
			BaseURL: strings.Replace(s.URL(), "://", "://me:"+key+"@", 1), APIKey: llm.NewSecret(key),
			Headers: http.Header{"X-Team": {header}}, Tries: 2, BackoffMin: time.Microsecond,
			BackoffMax: time.Microsecond, Timeout: 20 * time.Second,
		}
		c, err := llm.New(cfg)
		require.NoError(t, err)
		var left strings.Builder
		req := ask("hi")
		req.NoStream = random.IntN(2) == 0
		resp, err := c.Generate(t.Context(), req, func(d llm.Delta) {
			fmt.Fprintf(&left, "%+v %#v %+v\n", d, d, d.Retry)
		})
		_, listed := c.Models(t.Context())
		for _, v := range []any{err, listed, resp, c, errors.Unwrap(err)} {
			text, _ := json.Marshal(v)
			fmt.Fprintf(&left, "%v %+v %#v %q %s\n", v, v, v, v, text)
		}
		for _, v := range []any{cfg, &cfg, struct{ Config llm.Config }{cfg}} {
			fmt.Fprintf(&left, "%v %+v %#v\n", v, v, v)
		}
		for _, secret := range append(echoes(key), header) {
			require.NotContains(t, left.String(), secret, "round %d, %s, said %s, reply %+v", n, cfg.Provider, said,
				reply)
		}
		c.Close()
		s.Close()
	}
}

// Secrets of at least four characters are hidden literally, and those of at least eight letters and digits in
// other spellings too.
func TestHowShortASecretMayBe(t *testing.T) {
	for _, c := range []struct{ user, key, echo, shown string }{
		{"me:Pa5s", "", "it was Pa5s, you see", "it was [key], you see"},
		{"me:Pa5", "", "it was Pa5, you see", "it was Pa5, you see"},
		{"s3cretus", "", "it was s3cretus, you see", "it was [key], you see"},
		{"s3cretu", "", "it was s3cretu, you see", "it was s3cretu, you see"},
		{"", "AZaz09-5", "it was A-Z-a-z-0-9-5, you see", "it was A-Z-a-z-0-9-5, you see"},
		{"", "AZaz09-56", "it was a z A Z 0 9 5 6, you see", "it was [key], you see"},
		{"", "AZaz09-56", `it was \u0041\x5a%61&#122;&#x30;956, you see`, "it was [key], you see"},
		{
			"", "AZaz09-56", "it was [az`{@/:09]AZaz0956, a z A Z 0 9 5 6, you see",
			"it was [az`{@/:09][key], [key], you see",
		},
		{"", "AZaz09-56", "AZaz09-56 AZaz09-56 a", "[key] [key] a"},
		{"", "AZ%41az09", "it was A-Z-%41-a-z-0-9, you see", "it was [key], you see"},
		{"me:AZaz09-56", "AZaz09-56-more", "it was a z A Z 0 9 5 6 m o r e, you see", "it was [key], you see"},
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, c.echo)})
		m := client(t, s, func(cfg *llm.Config) {
			cfg.APIKey = llm.NewSecret(c.key)
			if c.user != "" {
				cfg.BaseURL = strings.Replace(s.URL(), "://", "://"+c.user+"@", 1)
			}
		})
		require.Contains(t, failure(t, m, ask("hi")).Message, ": "+c.shown, "%+v", c)
	}
	for part, shown := range map[string]string{
		"abcdefghij1234567890": "[hidden]", "abcdefghij123456789": "abcdefghij123456789",
		"abcdefghijabcdefghij": "abcdefghijabcdefghij",
		"12345678901234567890": "12345678901234567890", "sk-123456": "[hidden]", "sk-12345": "sk-12345",
	} {
		require.Equal(t, "https://host.test/"+shown+"/v1", llm.PublicURL("https://host.test/"+part+"/v1"))
	}
}
