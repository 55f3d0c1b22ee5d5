package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// audit is a file of lines of JSON that say who asked what: ids, no contents.
type audit struct {
	file *os.File
	log  *slog.Logger
}

func openAudit(dataDir string) (*audit, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dataDir, "server-audit.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	return &audit{f, slog.New(slog.NewJSONHandler(f, nil))}, nil
}

func (a *audit) close() error { return a.file.Close() }

// asked notes that somebody had a session do something, by which API; run is the number of the question where it is known.
func (a *audit) asked(who, api, did, session string, run int) {
	attrs := []any{"who", who, "api", api, "session", session}
	if run > 0 {
		attrs = append(attrs, "run", run)
	}
	a.log.Info(did, attrs...)
}

// observed logs every request when it is answered: who made it and what came of it, nothing of what it holds.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		s.cfg.Log.Info("request", "method", r.Method, "path", r.URL.Path, "status", seen.status, "who", seen.who, "duration", time.Since(began))
	})
}

// statusWriter notes the status of an answer, and who is answered.
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
