package server

import (
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/server/page"
)

// api are the routes below /api/v1 that take and give JSON.
func (s *Server) api() []endpoint {
	return []endpoint{
		on("GET about", s.about),
		on("GET folders", s.folder),
		on("GET search", s.search),

		on("GET sessions", s.listSessions),
		on("POST sessions", s.createSession),
		on("POST sessions/demo", s.playDemo),
		on("GET sessions/{id}", s.getSession),
		on("PATCH sessions/{id}", s.changeSession),
		on("DELETE sessions/{id}", s.deleteSession),
		on("GET sessions/{id}/settings", s.settings),
		on("PATCH sessions/{id}/settings", s.changeSettings),

		on("POST sessions/{id}/ask", s.ask),
		on("POST sessions/{id}/cells", s.runCell),
		on("POST sessions/{id}/stop", s.stop),
		on("POST sessions/{id}/undo", s.undo),
		on("POST sessions/{id}/resume", s.resume),
		on("POST sessions/{id}/review", s.review),
		on("POST sessions/{id}/fork", s.fork),
		on("POST sessions/{id}/verify", s.verify),

		on("GET sessions/{id}/variables", s.variables),
		on("GET sessions/{id}/builtins", s.builtins),
		on("POST sessions/{id}/complete", s.complete),
		on("POST sessions/{id}/signature", s.signature),
		on("POST sessions/{id}/check", s.check),
		on("POST sessions/{id}/members", s.members),

		on("GET sessions/{id}/documents", s.documents),
		on("POST sessions/{id}/documents", s.addDocuments),
		on("DELETE sessions/{id}/documents", s.removeDocument),
		on("POST sessions/{id}/reread", s.reread),
		on("GET sessions/{id}/parts", s.parts),
		on("GET sessions/{id}/text", s.text),
		on("GET sessions/{id}/find", s.findText),
		on("GET sessions/{id}/marks", s.marks),

		on("GET sessions/{id}/events", s.pathEvents),
		on("GET sessions/{id}/events/{seq}", s.event),
		on("GET sessions/{id}/calls", s.calls),
		on("GET sessions/{id}/messages", s.messages),
		on("GET sessions/{id}/trace", s.trace),
	}
}

// handler is all that the server answers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/v1/"+path, h)
	}
	for _, e := range s.api() {
		handle(e.pattern, e.serve)
	}
	handle("GET events", s.events)
	handle("GET sessions/{id}/export", s.export)
	handle("POST sessions/{id}/replay", s.replay)
	handle("POST sessions/{id}/uploads", s.upload)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, notFound("there is no "+r.Method+" "+r.URL.Path))
	})
	mux.Handle("/v1/", s.openai.Handler())
	mux.Handle("GET /assets/", page.Assets())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.readAhead(r)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.HTML(nonceOf(r.Context()))) // nobody is left to be told
	})
	return s.observed(s.guard(mux))
}
