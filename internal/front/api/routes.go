package api

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/front/openai"
	"github.com/gorlm/rlm/internal/front/web"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
)

// commands returns the commands available over HTTP and WebSocket: those of the table, and those that only a server
// has.
func (s *Server) commands() []session.Command { return slices.Concat(session.Commands(), s.own()) }

// own returns the commands that only a server has.
func (s *Server) own() []session.Command {
	about := session.Command{Name: "about", Group: "Server", Route: "GET about"}
	setUp := session.Command{Name: "setup", Group: "Server", Route: "POST setup"}
	return slices.Concat(
		[]session.Command{
			session.Define(about, "What the server is and what it offers.", s.about),
			session.Define(setUp, "Choose a model if the server has none: it is tried, saved with its key, and used after the server has restarted, which takes a moment.", s.setUp),
		}, s.browserCommands(), s.batchCommands(), s.more)
}

// endpoints returns the routes below /api/v1. openapi.json documents them.
func (s *Server) endpoints() (all []endpoint) {
	for _, c := range s.commands() {
		if c.Route != "" {
			all = append(all, s.of(c))
		}
	}
	return append(all, s.others()...)
}

// others returns the routes below /api/v1 that read or write something other than JSON.
func (s *Server) others() []endpoint {
	return []endpoint{
		raw[eventsQuery, streamItem]("What happened", "GET events",
			"Follow the events of up to 64 sessions, the list of sessions, and batches. Each item of the stream is the data of a server-sent event.",
			"text/event-stream", s.events),
		raw[struct{}, struct{}]("What happened", "GET socket",
			"The same events, and these routes as commands, over one WebSocket; see README.md.", "", s.socket),
		raw[exportRequest, string]("What happened", "GET sessions/{id}/export",
			"Export a session in a format for other programs; about lists the formats.", "application/octet-stream", s.export),
		raw[resultsRequest, string]("Batches", "GET batches/{batch}/results",
			"The results of a batch so far, in the order of its jobs.", "application/octet-stream", s.batchResults),
		raw[struct{}, runner.ReplayedCell]("Doing", "POST sessions/{id}/replay",
			"Run the cells of a session again. Each has a line; the last line has an error if the replay ends early.",
			"application/x-ndjson", s.replay),
		raw[uploadForm, session.Receipt]("Context", "POST sessions/{id}/uploads",
			"Add files to the context. Each file of the form is a document, named by its field, or by its file name where the field is named file.",
			"application/json", s.upload),
	}
}

// handler handles all requests to the server.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(route string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(route, " ")
		mux.HandleFunc(method+" /api/v1/"+path, h)
	}
	for _, e := range s.endpoints() {
		handle(e.Route, e.serve)
	}
	handle("GET openapi.json", described)
	mux.HandleFunc("GET /reference", reference)
	other := func(w http.ResponseWriter, r *http.Request) { refuseOther(mux, w, r) }
	mux.HandleFunc("/api/", other)
	mux.HandleFunc("/api", other) // the mux's redirect would lose a proxy's prefix
	mux.Handle("/v1", s.openai.Handler())
	mux.Handle("/v1/", s.openai.Handler())
	mux.Handle("/openai/", s.openai.Handler())
	mux.Handle("/mcp", &s.agents)
	mux.Handle("/mcp/{$}", &s.agents)
	mux.Handle("GET /assets/", web.Assets())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !isPage(r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			other(w, r)
			return
		}
		s.readAhead(r)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		html := web.HTML(nonceOf(r.Context()))
		if prefix := prefixOf(r); prefix != "" {
			html = bytes.ReplaceAll(html, []byte(`"/assets/`), []byte(`"`+prefix+"/assets/"))
		}
		_, _ = w.Write(html) // fails only if the client is gone
	})
	return s.observed(arriving(s.based(s.guard(mux))))
}

// isPage reports whether a path is an address of the page. "rlm serve --demo" opens /demo.
func isPage(path string) bool {
	return path == "/" || strings.HasPrefix(path, "/s/") || path == "/demo" || path == "/batches" ||
		strings.HasPrefix(path, "/batches/")
}

// refuseOther refuses a request that no route matches: its path is unknown, or known only with other methods.
func refuseOther(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	path, methods := r.URL.Path, openai.Methods(mux, r)
	if isPage(path) || isProbe(path) {
		methods = []string{http.MethodGet}
	}
	switch {
	case len(methods) > 0:
		w.Header().Set("Allow", strings.Join(methods, ", "))
		refuseIn(w, r, &session.Error{
			Code: "method", Message: path + " takes " + strings.Join(methods, " and ") + ", not " + r.Method,
		})
	case byPerson(r):
		refuseIn(w, r, &session.Error{
			Code:    session.NotFound,
			Message: "there is no page at " + text.Short(path, 200) + ": the address of a session starts with /s/",
		})
	default:
		refuseIn(w, r, &session.Error{
			Code: session.NotFound,
			Message: "there is no " + r.Method + " " + text.Short(path, 200) +
				": the APIs are below /v1, /api/v1 and /mcp",
		})
	}
}

// readAhead starts to read the log of the session whose page is requested, because the page will need it next.
func (s *Server) readAhead(r *http.Request) {
	id, is := strings.CutPrefix(r.URL.Path, "/s/")
	if !is || r.Method != http.MethodGet {
		return
	}
	who := personOf(r.Context())
	s.sessions.Begin(func() { // the page need not wait for the log
		if l, err := s.sessions.Find(who, id); err == nil { // an error is reported when the page requests the session
			l.ReadAhead()
		}
	})
}

// eventsQuery is the query of a stream of events.
type eventsQuery struct {
	Session []string `json:"session"` // ID:AFTER, repeatable: the session's events with numbers above AFTER
	Detail  string   `json:"detail"`  // full, or brief: totals instead of the details of sub-calls
	List    int      `json:"list"`    // 1: include changes of the list of sessions
	Batches int      `json:"batches"` // 1: include the newest batches, and changes of any batch
}

// exportRequest is the query of an export.
type exportRequest struct {
	Format string `json:"format"`
}

// streamItem is one item of a stream of events.
type streamItem struct {
	Session string        `json:"session"` // its id; "*" stands for the list of sessions, "*batches" for the batches
	Event   streamedEvent `json:"event"`
}

// streamedEvent is an event of a log, or a transient event.
type streamedEvent struct{}

// uploadForm is a form with files under any names.
type uploadForm struct{}
