package server

import (
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/server/page"
	"github.com/gorlm/rlm/runner"
)

// api are the routes below /api/v1 that take and give JSON. What the comments say of them stands in openapi.json.
func (s *Server) api() []endpoint {
	return []endpoint{
		// Server

		// What the server is and what it offers.
		on("GET about", s.about),
		// A folder below those that the server was started with; without a path, these themselves.
		on("GET folders", s.folder),
		// Look for a text, in any case, in the names, questions, answers and cells of all sessions.
		on("GET search", s.search),

		// Sessions

		// The sessions, the newest first. q is looked for in names, questions, first lines of answers and ids.
		on("GET sessions", s.listSessions),
		// Make a session. Without texts and paths it is over what the server was started with, unless it is to be empty.
		once(s, "POST sessions", s.createSession),
		// Make a session in which the recorded demo is played.
		once(s, "POST sessions/demo", s.playDemo),
		// A session.
		on("GET sessions/{id}", s.getSession),
		// Give a session another name, or share it with the server's other users.
		on("PATCH sessions/{id}", s.changeSession),
		// Delete a session.
		on("DELETE sessions/{id}", s.deleteSession),
		// The settings of the questions to come, with what the session has used so far.
		on("GET sessions/{id}/settings", s.settings),
		// Change the settings of the questions to come.
		on("PATCH sessions/{id}/settings", s.changeSettings),

		// Doing

		// Ask a question. Its run waits for its turn if too many go on.
		once(s, "POST sessions/{id}/ask", s.ask),
		// Run a cell.
		once(s, "POST sessions/{id}/cells", s.runCell),
		// End what the session does.
		on("POST sessions/{id}/stop", s.stop),
		// Take back the last question.
		on("POST sessions/{id}/undo", s.undo),
		// Continue an interrupted run, or one that came to a limit.
		once(s, "POST sessions/{id}/resume", s.resume),
		// Approve the answer, or send it back with a note.
		once(s, "POST sessions/{id}/review", s.review),
		// Make a copy of a session. With a turn it keeps the turns up to that one and continues from there.
		once(s, "POST sessions/{id}/fork", s.fork),
		// Check the evidence of the last answer against the context.
		on("POST sessions/{id}/verify", s.verify),

		// Notebook

		// The variables of the notebook; while it is busy or closed, as the log has them.
		on("GET sessions/{id}/variables", s.variables),
		// The functions that cells can call besides Go's own.
		on("GET sessions/{id}/builtins", s.builtins),
		// What can stand at the cursor of a cell.
		on("POST sessions/{id}/complete", s.complete),
		// How the function is called in whose call the cursor stands.
		on("POST sessions/{id}/signature", s.signature),
		// Find out whether a cell compiles. Nothing runs.
		on("POST sessions/{id}/check", s.check),
		// The names that can stand behind an operand and a dot.
		on("POST sessions/{id}/members", s.members),

		// Context

		// The documents of the context.
		on("GET sessions/{id}/documents", s.documents),
		// Add documents to the context.
		on("POST sessions/{id}/documents", s.addDocuments),
		// Remove a document from the context.
		on("DELETE sessions/{id}/documents", s.removeDocument),
		// Read the documents again whose files have changed.
		on("POST sessions/{id}/reread", s.reread),
		// The parts of a document: pages, sheets, files.
		on("GET sessions/{id}/parts", s.parts),
		// Whole lines of the context, from one that an offset or a number names; a negative number of lines means those before it.
		on("GET sessions/{id}/text", s.text),
		// Search the context as the notebook's own grep and search do: how is literal, regular or ranked.
		on("GET sessions/{id}/find", s.findText),
		// The passages that cells pointed at, and those that answers cite.
		on("GET sessions/{id}/marks", s.marks),

		// What happened

		// The events of one run of the tree. Long texts come as references.
		on("GET sessions/{id}/events", s.pathEvents),
		// An event with its long texts.
		on("GET sessions/{id}/events/{seq}", s.event),
		// The sub-calls of a cell. status is running, done or failed; sort is index, duration, tokens or cost, with - in front the other way.
		on("GET sessions/{id}/calls", s.calls),
		// What the model was sent at a turn.
		on("GET sessions/{id}/messages", s.messages),
		// Where the time of a question went.
		on("GET sessions/{id}/trace", s.trace),

		// Batches

		// The batches of rlm batch, the newest first. They are the owner's.
		on("GET batches", s.listBatches),
		// A batch, by its id or the beginning of it.
		on("GET batches/{batch}", s.getBatch),
		// The jobs of a batch, in order. state is queued, running, failed, done or dead.
		on("GET batches/{batch}/jobs", s.batchJobs),
		// Stop a batch. Its command, or retry, lets it go on.
		on("POST batches/{batch}/cancel", s.cancelBatch),
		// Put dead jobs back into the queue: all, or those that are named.
		on("POST batches/{batch}/retry", s.retryBatch),
		// The run of a job as a session. That of a fleet is copied to the data folder, as far as it is.
		on("POST batches/{batch}/runs/{run}", s.bringRun),
	}
}

// others are the routes below /api/v1 that take or give something else.
func (s *Server) others() []endpoint {
	return []endpoint{
		// What happened

		// Follow the events of up to 64 sessions, the list of sessions, and batches. Each part of the stream is the data of a server-sent event.
		raw[following, streamed]("GET events", "text/event-stream", s.events),
		// The same events, and these routes as orders, by one WebSocket; README.md says how.
		raw[none, none]("GET socket", "", s.socket),
		// A session in a form for other programs; about lists the forms.
		raw[exportRequest, string]("GET sessions/{id}/export", "application/octet-stream", s.export),

		// Batches

		// The results of a batch so far, in the order of its jobs.
		raw[resultsRequest, string]("GET batches/{batch}/results", "application/octet-stream", s.batchResults),

		// Doing

		// Run the cells of a session again. A line tells of each; the last one has an error if it ends early.
		raw[none, runner.Replayed]("POST sessions/{id}/replay", "application/x-ndjson", s.replay),

		// Context

		// Add files to the context. Each file of the form is a document, named by its field, or by its file name where the field is named file.
		raw[uploadForm, Begun]("POST sessions/{id}/uploads", "application/json", s.upload),
	}
}

// handler is all that the server answers.
func (s *Server) handler() http.Handler {
	mux, commands := http.NewServeMux(), http.NewServeMux()
	handle := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/v1/"+path, h)
	}
	for _, e := range s.api() {
		handle(e.pattern, e.serve)
		method, path, _ := strings.Cut(e.pattern, " ")
		commands.HandleFunc(method+" /api/v1/"+path, e.serve)
	}
	s.routes = s.observed(entered(commands))
	for _, e := range s.others() {
		handle(e.pattern, e.serve)
	}
	handle("GET openapi.json", described)
	mux.HandleFunc("GET /reference", reference)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, notFound("there is no "+r.Method+" "+r.URL.Path))
	})
	mux.Handle("/v1/", s.openai.Handler())
	mux.Handle("/mcp", &s.agents)
	mux.Handle("GET /assets/", page.Assets())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.readAhead(r)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.HTML(nonceOf(r.Context()))) // nobody is left to be told
	})
	return s.observed(arriving(s.guard(mux)))
}

// following is the query of a stream of events.
type following struct {
	Session []string `json:"session"` // ID:AFTER, repeatable: the events of a session behind one of them; ID:0 for all
	Detail  string   `json:"detail"`  // full, or brief: without what happens in sub-calls, whose sums come instead
	List    int      `json:"list"`    // 1: changes of the list of sessions come too
	Batches int      `json:"batches"` // 1: the newest batches, and changes of all, come too
}

// exportRequest is the query of an export.
type exportRequest struct {
	Format string `json:"format"`
}

// streamed is a part of a stream of events.
type streamed struct {
	Session string        `json:"session"` // its id; * stands for the list of sessions, *batches for the batches
	Event   streamedEvent `json:"event"`
}

// streamedEvent is an event of a log, or a transient one of the stream.
type streamedEvent struct{}

// uploadForm has files under any names.
type uploadForm struct{}
