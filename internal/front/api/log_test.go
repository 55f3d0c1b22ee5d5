package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// logged collects a server's log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// lines returns the JSON lines of the log.
func (l *logged) lines(t *testing.T) (all []object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.text.Bytes()) {
		var o object
		require.NoError(t, json.Unmarshal(line, &o))
		all = append(all, o)
	}
	return all
}

// TestLogHasIDsAndNoContents: the log records who asked for what in which session, and the result, but no words of
// questions, cells, documents and tokens.
func TestLogHasIDsAndNoContents(t *testing.T) {
	t.Parallel()
	log := &logged{}
	s := start(t, &talker{replies: []string{fence(`FINAL("marzipan")`)}}, func(c *api.Config) {
		c.Log = slog.New(slog.NewJSONHandler(log, nil))
	})
	id := s.session(object{"name": "marzipan.txt", "text": "marzipan"})
	s.do(id, "ask", object{"question": "marzipan?"})
	s.do(id, "cells", object{"source": `x := "marzipan"`})
	s.do(id, "ask", object{"question": "marzipan again?"}) // fails: no reply is left
	s.call("GET", "search?q=marzipan", nil)
	w := s.socket()
	w.do(object{"do": "GET sessions/" + id + "/find?q=marzipan"})
	s.send("GET", "?token="+s.token+"x", nil)
	s.refused("not_found", "GET", "sessions/absent", nil)
	require.NoError(t, w.conn.CloseNow())
	s.end()

	for want, status := range map[[4]string]float64{
		{"request", "owner", "/api/v1/sessions", ""}:                 200,
		{"request", "owner", "/api/v1/sessions/" + id + "/ask", ""}:  202,
		{"request", "owner", "/api/v1/sessions/" + id + "/find", ""}: 200,
		{"request", "owner", "/api/v1/sessions/absent", ""}:          404,
		{"request", "owner", "/api/v1/socket", ""}:                   101,
		{"ask", "owner", "", id}:                                     0,
		{"cell", "owner", "", id}:                                    0,
	} {
		require.Eventually(t, func() bool { // a WebSocket is logged when it ends
			for _, o := range log.lines(t) {
				if got, _ := o["status"].(float64); want == [4]string{
					o.text("msg"), o.text("who"), o.text("path"), o.text("session"),
				} && got == status {
					return true
				}
			}
			return false
		}, time.Minute, time.Millisecond, "%v", want)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	require.NotContains(t, log.text.String(), "marzipan")
	require.NotContains(t, log.text.String(), s.token)
}
