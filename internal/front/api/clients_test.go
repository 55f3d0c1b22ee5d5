package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/clients"
)

// TestSocketClient: the third-party ws package for JavaScript follows runs, sends commands and reconnects.
func TestSocketClient(t *testing.T) {
	t.Parallel()
	folder := clients.New(t, "RLM_SOCKET_CLIENTS", "api")
	s := start(t, &talker{replies: []string{fence("x := 1"), fence("FINAL(x)")}})
	require.JSONEq(t, `{
		"version": "test", "began": [202, 202, 202], "answers": ["1", "1", "1"], "pong": true, "bad": "bad_request", "alive": 200, "back": "1",
		"again": false, "keyless": 401, "foreign": 403
	}`, string(folder.Output(t, "client.mjs", s.url, s.token)))
}
