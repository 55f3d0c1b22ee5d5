package proxy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/proxy"
)

func TestTheProxyThatCurlWouldTake(t *testing.T) {
	for _, tt := range []struct {
		name    string
		env     map[string]string
		url     string
		through string // the proxy, "" for none
		err     string
	}{
		{"none", nil, "https://host/v1", "", ""},
		{"all", map[string]string{"ALL_PROXY": "socks5://p:1"}, "https://host/v1", "socks5://p:1", ""},
		{"all in lower case", map[string]string{"all_proxy": "p:1"}, "http://host/v1", "http://p:1", ""},
		{
			"its own goes before",
			map[string]string{"ALL_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:2"},
			"https://host", "http://q:2", "",
		},
		{"without a scheme", map[string]string{"HTTPS_PROXY": "p:1"}, "https://host", "http://p:1", ""},
		{
			"blanks",
			map[string]string{"ALL_PROXY": "http://p:1", "NO_PROXY": "other host.example"},
			"https://a.host.example", "", "",
		},
		{
			"a dot",
			map[string]string{"ALL_PROXY": "http://p:1", "NO_PROXY": ".host.example"},
			"https://host.example", "",
			"",
		},
		{"all hosts", map[string]string{"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://host.example", "", ""},
		{
			"a network",
			map[string]string{"ALL_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"},
			"https://10.2.3.4", "",
			"",
		},
		{
			"a port",
			map[string]string{"ALL_PROXY": "http://p:1", "NO_PROXY": "host:8443"},
			"https://host", "http://p:1",
			"",
		},
		{"this machine", map[string]string{"ALL_PROXY": "http://p:1"}, "http://localhost:11434", "", ""},
		{"another kind", map[string]string{"ALL_PROXY": "socks4://me:secret@p:1"}, "https://host", "", "socks5"},
		{"no address", map[string]string{"HTTPS_PROXY": "http://p:x:y"}, "https://host", "", "cannot be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{
				"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY",
				"all_proxy", "NO_PROXY", "no_proxy",
			} {
				t.Setenv(name, tt.env[name])
			}
			r, err := http.NewRequest(http.MethodGet, tt.url, nil)
			require.NoError(t, err)
			through, err := proxy.FromEnvironment()(r)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.NotContains(t, err.Error(), "secret")
				return
			}
			require.NoError(t, err)
			got := ""
			if through != nil {
				got = through.String()
			}
			require.Equal(t, tt.through, got)
		})
	}
}
