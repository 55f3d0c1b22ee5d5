package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/server"
)

// logged is what a server has logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// lines are those of JSON.
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

// TestLogHasIDsAndNoContents: it says who asked what of which session and what came of it, and none of the words of questions, cells, documents and tokens.
func TestLogHasIDsAndNoContents(t *testing.T) {
	log := &logged{}
	s := start(t, &talker{replies: []string{fence(`FINAL("marzipan")`)}}, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(log, nil))
	})
	id := s.session(object{"name": "marzipan.txt", "text": "marzipan"})
	s.do(id, "ask", object{"question": "marzipan?"})
	s.do(id, "cells", object{"source": `x := "marzipan"`})
	s.do(id, "ask", object{"question": "marzipan again?"}) // the script is at its end: it fails
	s.call("GET", "search?q=marzipan", nil)
	w := s.socket()
	w.do(object{"do": "GET sessions/" + id + "/find?q=marzipan"})
	s.send("GET", "?token="+s.token+"x", nil)
	s.refused("not_found", "GET", "sessions/absent", nil)
	require.NoError(t, w.conn.CloseNow())
	s.end()

	text := log.text.String()
	require.NotContains(t, text, "marzipan")
	require.NotContains(t, text, s.token)
	type seen struct{ msg, who, path, session string }
	all := map[seen]float64{}
	for _, o := range log.lines(t) {
		status, _ := o["status"].(float64)
		all[seen{o.text("msg"), o.text("who"), o.text("path"), o.text("session")}] = status
	}
	for want, status := range map[seen]float64{
		{"request", "owner", "/api/v1/sessions", ""}:                 200,
		{"request", "owner", "/api/v1/sessions/" + id + "/ask", ""}:  202,
		{"request", "owner", "/api/v1/sessions/" + id + "/find", ""}: 200,
		{"request", "owner", "/api/v1/sessions/absent", ""}:          404,
		{"request", "owner", "/api/v1/socket", ""}:                   101,
		{"ask", "owner", "", id}:                                     0,
		{"cell", "owner", "", id}:                                    0,
	} {
		require.Contains(t, all, want)
		require.Equal(t, status, all[want], "%v", want)
	}
}
