// Package openai serves clients of OpenAI's API: a chat completion or a response is a question to a notebook, over
// as much text as the request contains. All runs use the server's runner and sessions, so those that begin here can
// be shown, resumed and forked elsewhere.
package openai

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Caller is the sender of a request.
type Caller = session.Person

// Config configures the endpoint.
type Config struct {
	Runner   *runner.Runner
	Sessions *session.Manager
	// Models are the names that requests may use, and Model returns the model with a name. NoModel explains why
	// there is no default model; empty if there is one.
	Models  []string
	Model   func(ctx context.Context, name string) (llm.Model, error)
	NoModel string
	// Inputs are the context of the owner's new sessions if the request has no documents.
	Inputs []runner.Input
	// Budgets, System, Call and SubCall are those of the runner. Requests can lower the budgets, add to the system
	// prompt, and change the settings of calls.
	Budgets       runner.Budgets
	System        string
	Call, SubCall runner.CallSettings

	DataDir   string
	MaxUpload int64 // maximum bytes of one file
	// MaxText is the size in bytes above which a text of a message becomes a document of the context; default 8 kB.
	MaxText int

	// Who returns the sender of a request.
	Who func(*http.Request) Caller
	// Asked is called for each question, for the audit log.
	Asked func(who Caller, did, session string, run int)
	Log   *slog.Logger
}

// API is the endpoint. Make it with New, and close it with Close.
type API struct {
	cfg    Config
	turns  *turns
	files  *fileStore
	bodies *semaphore.Weighted // limits the bytes of large bodies on disk

	mu   sync.Mutex
	runs map[string]*run // runs in progress, by the id of their response
}

const (
	mostBodies = 2 << 30 // maximum bytes of large bodies on disk, including those of queued runs
	largeBody  = 1 << 20 // maximum bytes of a body that is not large
)

// New makes an API and opens its files in the data folder.
func New(cfg Config) (*API, error) {
	if cfg.MaxText == 0 {
		cfg.MaxText = 8 << 10
	}
	turns, err := openTurns(filepath.Join(cfg.DataDir, "server-turns.jsonl"))
	if err != nil {
		return nil, err
	}
	return &API{
		cfg: cfg, turns: turns, files: &fileStore{dir: filepath.Join(cfg.DataDir, "server-files"), most: cfg.MaxUpload},
		bodies: semaphore.NewWeighted(mostBodies), runs: map[string]*run{},
	}, nil
}

// Close closes what New opened. No request may be in progress.
func (a *API) Close() error { return a.turns.close() }

// Handler handles requests below /v1/, and those for chat completions that clients of Azure's API send below /openai/.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", newID("req_")) // also for errors, because clients report it
			if err := do(w, r); err != nil && !errors.Is(err, errSent) {
				Refuse(w, err)
			}
		})
	}
	on("GET /v1/models", a.listModels)
	on("GET /v1/models/{model...}", a.oneModel)
	on("POST /v1/chat/completions", a.chat)
	on("POST /openai/deployments/{deployment}/chat/completions", a.chat)
	on("POST /v1/responses", a.respond)
	on("GET /v1/responses/{id}", a.getResponse)
	on("GET /v1/responses/{id}/input_items", a.inputItems)
	on("DELETE /v1/responses/{id}", a.deleteResponse)
	on("POST /v1/responses/{id}/cancel", a.cancelResponse)
	on("POST /v1/conversations", a.newConversation)
	on("GET /v1/files", a.listFiles)
	on("POST /v1/files", a.uploadFile)
	on("GET /v1/files/{id}", a.oneFile)
	on("GET /v1/files/{id}/content", a.fileContent)
	on("DELETE /v1/files/{id}", a.deleteFile)
	rest := func(w http.ResponseWriter, r *http.Request) error {
		if methods := Methods(mux, r); len(methods) > 0 {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			return &Failure{
				Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
				Message: r.URL.Path + " takes " + strings.Join(methods, " and ") + ", not " + r.Method,
			}
		}
		return &Failure{Status: http.StatusNotFound, Code: "unknown_url", Message: "there is no " + r.Method + " " +
			text.Short(r.URL.Path, 200) + " here; the endpoint has chat/completions, responses, conversations, models and files"}
	}
	on("/v1/", rest)
	on("/openai/", rest)
	mux.Handle("/openai/v1/", http.StripPrefix("/openai", mux)) // Azure's newer addresses
	on("/v1", rest)                                             // the mux's redirect would lose a proxy's prefix
	return mux
}

// Methods returns the methods for which a mux has a route that matches a request's path. Routes for all methods do
// not count.
func Methods(mux *http.ServeMux, r *http.Request) (all []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); strings.HasPrefix(pattern, method+" ") {
			all = append(all, method)
		}
	}
	return all
}
