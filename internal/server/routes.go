package server

import (
	"net/http"

	"github.com/gorlm/rlm/internal/server/page"
)

// handler is all that the server answers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(*http.Request) (any, error){
		"GET /api/v1/about":                      s.about,
		"GET /api/v1/sessions":                   s.listSessions,
		"POST /api/v1/sessions":                  s.createSession,
		"GET /api/v1/sessions/{id}":              s.getSession,
		"PATCH /api/v1/sessions/{id}":            s.changeSession,
		"DELETE /api/v1/sessions/{id}":           s.deleteSession,
		"POST /api/v1/sessions/{id}/ask":         s.ask,
		"POST /api/v1/sessions/{id}/cells":       s.runCell,
		"POST /api/v1/sessions/{id}/stop":        s.stop,
		"POST /api/v1/sessions/{id}/undo":        s.undo,
		"POST /api/v1/sessions/{id}/fork":        s.fork,
		"POST /api/v1/sessions/{id}/resume":      s.resume,
		"POST /api/v1/sessions/{id}/review":      s.review,
		"GET /api/v1/sessions/{id}/variables":    s.variables,
		"POST /api/v1/sessions/{id}/members":     s.members,
		"GET /api/v1/sessions/{id}/documents":    s.documents,
		"POST /api/v1/sessions/{id}/documents":   s.addDocuments,
		"DELETE /api/v1/sessions/{id}/documents": s.removeDocument,
		"GET /api/v1/sessions/{id}/events/{seq}": s.event,
	} {
		mux.HandleFunc(pattern, route(do))
	}
	mux.HandleFunc("GET /api/v1/events", s.events)
	mux.HandleFunc("GET /api/v1/sessions/{id}/export", s.export)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "not_found", "there is no "+r.Method+" "+r.URL.Path)
	})
	mux.Handle("GET /assets/", page.Assets())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.HTML(nonceOf(r.Context()))) // nobody is left to be told
	})
	return s.guard(mux)
}
