package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
)

// audit is a file of JSON lines that record who requested what: with ids, but without contents. The server's log
// gets the same records.
type audit struct {
	file *os.File
	log  *slog.Logger
	too  *slog.Logger
}

func openAudit(dataDir string, too *slog.Logger) (*audit, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dataDir, "server-audit.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	return &audit{f, slog.New(slog.NewJSONHandler(f, nil)), too}, nil
}

func (a *audit) close() error { return a.file.Close() }

// asked records what somebody did in a session, and through which API; run is the number of the question, 0 if
// unknown.
func (a *audit) asked(who, api, did, session string, run int) {
	attrs := []any{"who", who, "api", api, "session", session}
	if run > 0 {
		attrs = append(attrs, "run", run)
	}
	a.log.Info(did, attrs...)
	a.too.Info(did, attrs...)
}

// observed logs every request once it is answered: who sent it and the status of the response, never contents.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		s.log(r, seen.status, seen.who, began)
	})
}

// log logs an answered request.
func (s *Server) log(r *http.Request, status int, who string, began time.Time) {
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case strings.HasPrefix(r.URL.Path, "/assets/"), r.URL.Path == "/healthz", r.URL.Path == "/readyz",
		r.URL.Path == "/metrics":
		level = slog.LevelDebug
	}
	s.cfg.Log.Log(r.Context(), level, "request", "method", r.Method, "path", text.Line(r.URL.Path, 200), "status",
		status, "who", who, "duration", time.Since(began))
}

// statusWriter notes the status of a response and the user who sent the request.
type statusWriter struct {
	http.ResponseWriter
	status int
	who    string
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
