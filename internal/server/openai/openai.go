// Package openai answers programs that speak OpenAI's API: a chat completion or a response is a question to a notebook over as much text as
// comes with it. Everything goes through the runner and the sessions of the server, so what is begun here is shown, resumed and forked
// anywhere else.
package openai

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/idempotent"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Caller is who makes a request.
type Caller struct {
	Name  string
	Owner bool // of the data folder
}

// Grant lets a run begin. End it when the run is over.
type Grant interface {
	// Left is what the run may cost in USD at most; negative: no bound.
	Left() float64
	// Spent tells what the run has cost so far and reports whether it may go on.
	Spent(cost float64) (ok bool)
	// End says that the run is over and what it cost.
	End(cost float64)
}

// RefusedError says that somebody may begin no run now.
type RefusedError struct {
	Message string
	Code    string        // as in OpenAI's errors
	After   time.Duration // when to try again
}

func (e *RefusedError) Error() string { return e.Message }

// Config says what the endpoint stands on.
type Config struct {
	Runner   *runner.Runner
	Sessions *live.Sessions
	// Models are the names that requests may give, Model finds one of them. NoModel says why nobody answers; empty if somebody does.
	Models  []string
	Model   func(ctx context.Context, name string) (llm.Model, error)
	NoModel string
	// Inputs are what new sessions of the owner are over, if a request brings nothing itself.
	Inputs []runner.Input
	// Budgets, System, Call and SubCall are those that the runner was made with: requests add to them and never exceed them.
	Budgets       runner.Budgets
	System        string
	Call, SubCall runner.CallSettings

	// Keys are those of requests that must take effect once. The endpoint does not close them.
	Keys *idempotent.Keys

	DataDir   string
	MaxUpload int64 // bytes of a file
	// MaxText is the size in bytes above which a text of a message becomes a document of the context; default 8 kB.
	MaxText int

	// Who finds out who makes a request. May says whether somebody may use a session, Belongs says whose a new one is; it fails if he has too many.
	Who     func(*http.Request) Caller
	May     func(who Caller, session string) bool
	Belongs func(who Caller, session string) error
	// Admit lets a run of somebody begin; the error may be a *RefusedError.
	Admit func(who Caller) (Grant, error)
	// Asked hears of every question, for the audit log.
	Asked func(who Caller, did, session string, run int)
	Log   *slog.Logger
}

// API is the endpoint. Make it with New, close it with Close.
type API struct {
	cfg    Config
	turns  *turns
	files  *files
	bodies chan struct{} // large bodies that are in memory

	mu   sync.Mutex
	runs map[string]*run // under way, by the id of their response
}

const (
	mostLarge = 8       // large bodies at once
	largeBody = 1 << 20 // bytes from which one is large
)

// New opens what the endpoint keeps in its data folder.
func New(cfg Config) (*API, error) {
	if cfg.MaxText == 0 {
		cfg.MaxText = 8 << 10
	}
	turns, err := openTurns(filepath.Join(cfg.DataDir, "server-turns.jsonl"))
	if err != nil {
		return nil, err
	}
	return &API{
		cfg: cfg, turns: turns, files: &files{dir: filepath.Join(cfg.DataDir, "server-files"), most: cfg.MaxUpload},
		bodies: make(chan struct{}, mostLarge), runs: map[string]*run{},
	}, nil
}

// Close closes what New opened. No request may be under way.
func (a *API) Close() error { return a.turns.close() }

// Handler answers what lies below /v1/.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				Refuse(w, err)
			}
		})
	}
	on("GET /v1/models", a.listModels)
	on("GET /v1/models/{model...}", a.oneModel)
	on("POST /v1/chat/completions", a.chat)
	on("POST /v1/responses", a.respond)
	on("GET /v1/responses/{id}", a.getResponse)
	on("DELETE /v1/responses/{id}", a.deleteResponse)
	on("POST /v1/responses/{id}/cancel", a.cancelResponse)
	on("POST /v1/conversations", a.newConversation)
	on("GET /v1/files", a.listFiles)
	on("POST /v1/files", a.uploadFile)
	on("GET /v1/files/{id}", a.oneFile)
	on("GET /v1/files/{id}/content", a.fileContent)
	on("DELETE /v1/files/{id}", a.deleteFile)
	on("/v1/", func(_ http.ResponseWriter, r *http.Request) error {
		return &Failure{Status: http.StatusNotFound, Code: "unknown_url", Message: "there is no " + r.Method + " " + r.URL.Path + " here; the endpoint has chat/completions, responses, conversations, models and files"}
	})
	return mux
}
