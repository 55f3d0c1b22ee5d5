// Package server shows the sessions of a data folder in a browser, and lets people and programs work at them: the page, and the API
// that the page and other programs use.
//
// It is closed by default: it listens on the loopback, answers for its own names only, and to those alone who have its token or were let in with
// it. Who starts the server decides what it can reach: paths, models, tools. No request adds to that. What models and documents
// wrote is shown as text.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"github.com/gorlm/rlm/internal/server/internal/allowance"
	"github.com/gorlm/rlm/internal/server/internal/idempotent"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/openai"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Config says what a server offers. Zero values are the defaults.
type Config struct {
	// Runner answers questions and runs cells. If it has no model, Model says why and cells run all the same.
	Runner *runner.Runner
	// Model finds one of the configured models by its name; it fails for all others.
	Model  func(ctx context.Context, name string) (llm.Model, error)
	Models []string // names that can be chosen
	// ModelName is the one that answers unless another is chosen. NoModel says what to do where there is none.
	ModelName, NoModel string
	Demo               *Demo   // nil: there is none
	Batches            Batches // nil: there are none; the server closes them

	// Budgets, System, Call and SubCall are those that the runner was made with. What asks in OpenAI's way adds to them and never exceeds them.
	Budgets       runner.Budgets
	System        string
	Call, SubCall runner.CallSettings
	// MaxText is the size in bytes above which a text of an OpenAI message becomes part of the context; default 8 kB.
	MaxText int

	DataDir string
	Version string
	// Inputs are what new sessions are over, unless they name others.
	Inputs []runner.Input
	// Folders are what paths may be added from.
	Folders []string
	// Hosts are names of this server besides those of the loopback.
	Hosts []string

	NewToken  bool // put another token in the place of the one that is kept
	TLS       *tls.Config
	Insecure  bool          // listening beyond the loopback without TLS was asked for
	MaxUpload int64         // bytes of one upload; default 2 GiB
	MaxRuns   int           // questions that are answered at once; default 4
	IdleAfter time.Duration // how long an unused session keeps its worker; default 10 minutes
	MaxIdle   int           // unused sessions that keep theirs, at most; default 16
	Log       *slog.Logger  // default: nothing is logged
	// Metrics writes what Prometheus reads at /metrics; nil: there are none.
	Metrics func(context.Context, io.Writer) error
}

// Server serves the sessions of one data folder. Make it with New, run it with Serve.
type Server struct {
	cfg      Config
	keys     *keyring
	users    *Users
	owners   *owners
	requests *idempotent.Keys
	sessions *live.Sessions
	openai   *openai.API
	agents   agents
	spent    *allowance.Book
	audit    *audit
	wrong    *rate.Limiter // of wrong tokens
	listener net.Listener
	http     *http.Server
	routes   http.Handler    // the routes that can be asked for by WebSocket too
	open     sync.WaitGroup  // connections by WebSocket, which http.Server forgets
	down     context.Context // done when the server shuts down: streams of events end
	shut     context.CancelFunc
}

// New makes a server. Nothing listens before Listen.
func New(cfg Config) (*Server, error) {
	if cfg.MaxRuns == 0 {
		cfg.MaxRuns = 4
	}
	if cfg.MaxIdle == 0 {
		cfg.MaxIdle = 16
	}
	if cfg.IdleAfter == 0 {
		cfg.IdleAfter = 10 * time.Minute
	}
	if cfg.MaxUpload == 0 {
		cfg.MaxUpload = 2 << 30
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	keys, err := openKeyring(cfg.DataDir, cfg.NewToken)
	if err != nil {
		return nil, err
	}
	owners, err := openOwners(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, keys: keys, users: OpenUsers(cfg.DataDir), owners: owners, wrong: rate.NewLimiter(rate.Every(time.Second), 20),
		sessions: live.New(live.Config{Runner: cfg.Runner, MaxRuns: cfg.MaxRuns, IdleAfter: cfg.IdleAfter, MaxIdle: cfg.MaxIdle}),
	}
	if s.spent, err = allowance.Open(filepath.Join(cfg.DataDir, "server-spent.json"), time.Now); err != nil {
		return nil, err
	}
	if s.audit, err = openAudit(cfg.DataDir, cfg.Log); err != nil {
		return nil, err
	}
	if s.requests, err = idempotent.Open(filepath.Join(cfg.DataDir, "server-keys.jsonl"), time.Now()); err != nil {
		return nil, err
	}
	if s.openai, err = s.likeOpenAI(); err != nil {
		return nil, err
	}
	s.agents.server = s
	s.down, s.shut = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		TLSConfig: cfg.TLS, ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// mostConnections bounds the connections at once; others wait to be taken.
const mostConnections = 4096

// Listen takes an address: "" is the loopback with the port of the last time, or another free one.
func (s *Server) Listen(addr string) error {
	l, err := s.listen(addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.listener = netutil.LimitListener(l, mostConnections)
	return s.keys.setPort(l.Addr().(*net.TCPAddr).Port)
}

func (s *Server) listen(addr string) (net.Listener, error) {
	if addr != "" {
		return net.Listen("tcp", addr)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.keys.port())))
	if err != nil && s.keys.port() != 0 {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return l, err
}

func (s *Server) port() string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String()) // of a listener, it has one
	return port
}

// URL is the server's address.
func (s *Server) URL() string {
	scheme, host := "http", s.listener.Addr().(*net.TCPAddr)
	if s.cfg.TLS != nil {
		scheme = "https"
	}
	name := host.IP.String()
	if host.IP.IsUnspecified() {
		name = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(name, strconv.Itoa(host.Port)) + "/"
}

// Token is what lets people and programs in: the address with ?token=… in a browser, a bearer token elsewhere.
func (s *Server) Token() string { return s.keys.token() }

// drain is how long a shutdown waits for replies that are under way to be recorded.
const drain = 30 * time.Second

// Serve answers requests until ctx is done, then stops what runs, and returns when the replies under way are recorded.
func (s *Server) Serve(ctx context.Context) error {
	served := make(chan error, 1)
	go func() {
		if s.cfg.TLS != nil {
			served <- s.http.ServeTLS(s.listener, "", "")
		} else {
			served <- s.http.Serve(s.listener)
		}
	}()
	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		served <- err
	}
	s.shut()
	err = errors.Join(s.sessions.Close())
	s.agents.close()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err = errors.Join(err, s.http.Shutdown(late))
	s.open.Wait()
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if s.cfg.Batches != nil {
		err = errors.Join(err, s.cfg.Batches.Close())
	}
	return errors.Join(err, s.openai.Close(), s.requests.Close(), s.audit.close())
}
