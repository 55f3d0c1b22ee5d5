// Package api serves the sessions of a data folder to people in a browser and to programs: it serves the page, and
// the API that the page and other programs use.
//
// By default access is closed: the server listens on the loopback interface, answers only to its own names, and
// only to those who have its token or have logged in with it. Whoever starts the server decides what it can reach:
// paths, models, tools. No request can add to that. Text written by models or found in documents is never
// interpreted as HTML.
package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"github.com/gorlm/rlm/internal/front/openai"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Config configures a server. Zero values are the defaults.
type Config struct {
	// Runner answers questions and runs cells. Cells run even if there is no model.
	Runner *runner.Runner
	// Model returns a configured model by its name; it fails for other names.
	Model  func(ctx context.Context, name string) (llm.Model, error)
	Models []string // names of models to choose from
	// ModelName is the default model. If there is none, NoModel explains that and what to do.
	ModelName, NoModel string
	Demo               *Demo   // nil: no demo
	Batches            Batches // nil: no batches; Serve closes them at its end
	// SetUp tries and stores the model that the owner chooses if there is none; nil: the owner cannot choose one.
	// Offers are the models to choose from. After SetUp the caller replaces this server with one that has the
	// model.
	SetUp  func(context.Context, SetUpRequest) error
	Offers []Offer

	// Budgets, System, Call and SubCall are those of the runner. Requests of OpenAI's API can lower the budgets,
	// add to the system prompt, and change the settings of calls.
	Budgets       runner.Budgets
	System        string
	Call, SubCall runner.CallSettings
	// MaxText is the size in bytes above which a text of an OpenAI message becomes part of the context; default 8
	// kB.
	MaxText int

	DataDir string
	Version string
	// Inputs are the context of new sessions for which no other is requested.
	Inputs []runner.Input
	// Folders are the folders from which clients may add paths.
	Folders []string
	Files   []string // further paths that clients may add
	// Hosts are names of this server besides those of the loopback interface.
	Hosts []string
	// BasePath is the path below which browsers find the server, such as /rlm; empty for none. A proxy may remove
	// it.
	BasePath string

	NewToken  bool // replace the stored token
	TLS       *tls.Config
	Insecure  bool          // allows listening beyond the loopback without TLS
	MaxUpload int64         // bytes of one upload; default 2 GiB
	MaxRuns   int           // questions answered concurrently; default 4
	IdleAfter time.Duration // how long an unused session keeps its worker; default 10 minutes
	MaxIdle   int           // number of unused sessions that keep their workers; default 16
	Log       *slog.Logger  // default: no logging
	// Metrics writes metrics for Prometheus, which are served at /metrics; nil: no metrics.
	Metrics func(context.Context, io.Writer) error
}

// Demo is the recorded demo.
type Demo = session.Demo

// Server serves the sessions of one data folder. Make it with New, run it with Serve.
type Server struct {
	cfg      Config
	more     []session.Command // commands besides the table's and the server's
	table    []session.Command // all commands
	keys     *keyring
	users    *Users
	sessions *session.Manager
	openai   *openai.API
	agents   agents
	audit    *audit
	wrong    *rate.Limiter // limits attempts with wrong tokens
	folder   *flock.Flock  // held while the server runs
	listener net.Listener
	http     *http.Server
	conns    connections
	visitors visitors
	open     sync.WaitGroup  // WebSocket connections, which http.Server does not track
	down     context.Context // done when the server is shutting down, which ends streams of events
	shut     context.CancelFunc
}

// New makes a server. Call Listen and then Serve.
func New(cfg Config) (*Server, error) { return newServer(cfg) }

// newServer makes a server with additional commands.
func newServer(cfg Config, more ...session.Command) (*Server, error) {
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
	folder, err := lockFolder(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	s, err := assemble(cfg, more)
	if err != nil {
		return nil, errors.Join(err, folder.Unlock())
	}
	s.folder = folder
	return s, nil
}

const lockName = "server.lock"

// lockFolder locks a data folder, because its sessions, budgets and port belong to one server at a time.
func lockFolder(dataDir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	lock := flock.New(filepath.Join(dataDir, lockName), flock.SetPermissions(0o600))
	ours, err := files.Await(0, func() files.Holder { return files.HolderOf(lock.Path()) }, func() (bool, error) {
		return files.TryLock(lock)
	})
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !ours {
		return nil, fmt.Errorf("another server is using %s, whose sessions and budgets belong to one server at a time: it is %s; use that one, stop it, or set RLM_DATA_DIR to another folder",
			dataDir, Holder(dataDir))
	}
	files.Sign(lock.Path())
	return lock, nil
}

// assemble makes a server after its data folder has been locked.
func assemble(cfg Config, more []session.Command) (*Server, error) {
	keys, err := openKeyring(cfg.DataDir, cfg.NewToken)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, more: more, keys: keys, users: OpenUsers(cfg.DataDir),
		wrong: rate.NewLimiter(rate.Every(time.Second), 20),
	}
	s.table = s.commands()
	if s.audit, err = openAudit(cfg.DataDir, cfg.Log); err != nil {
		return nil, err
	}
	if s.sessions, err = session.NewManager(session.Config{
		Runner: cfg.Runner, Model: cfg.Model, Models: cfg.Models, NoModel: cfg.NoModel, Inputs: cfg.Inputs,
		Folders: cfg.Folders, Files: cfg.Files, Demo: cfg.Demo,
		Commands: s.own(), DataDir: cfg.DataDir, Limits: s.users.limits,
		Stored: func(who session.Person) int64 { return s.openai.Stored(who) }, Log: cfg.Log, MaxRuns: cfg.MaxRuns,
		IdleAfter: cfg.IdleAfter, MaxIdle: cfg.MaxIdle,
		Asked: func(who session.Person, did, id string) { s.audit.asked(who.Name, "native", did, id, 0) },
	}); err != nil {
		return nil, err
	}
	if s.openai, err = s.likeOpenAI(); err != nil {
		return nil, err
	}
	s.agents.server = s
	s.down, s.shut = context.WithCancel(context.Background())
	s.conns.init()
	s.visitors = visitors{may: s.may, all: map[*visit]struct{}{}, of: map[session.Person]int{}}
	s.http = &http.Server{
		Handler: s.handler(), ConnState: s.conns.state, ConnContext: s.conns.context,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		TLSConfig: cfg.TLS, ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// Listen listens on an address. "" means the loopback interface, with the last port if that is free, otherwise any.
func (s *Server) Listen(addr string) error {
	l, err := s.listen(addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("another program is listening on %s: stop it, or choose another address with --listen", addr)
	case err != nil:
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
	_, port, _ := net.SplitHostPort(s.listener.Addr().String()) // a listener's address always has a port
	return port
}

// URL returns the server's address.
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

// Token returns the secret that lets people and programs in: as ?token=… in the address for a browser, or as a
// bearer token.
func (s *Server) Token() string { return s.keys.token() }

// drain is how long a shutdown waits for requests in progress.
const drain = 30 * time.Second

// Serve answers requests until ctx is done, then stops the running questions, and returns once the replies in
// progress have been recorded.
func (s *Server) Serve(ctx context.Context) error {
	served := make(chan error, 1)
	go func() {
		if s.cfg.TLS != nil {
			served <- s.http.ServeTLS(s.listener, "", "")
		} else {
			served <- s.http.Serve(s.listener)
		}
	}()
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { s.visitors.watch(s.down, s.check) })
	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		served <- err
	}
	s.sessions.Stop() // before the streams end, so that nothing runs unseen
	s.shut()
	err = errors.Join(s.sessions.Close())
	s.agents.close()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	s.conns.close()
	err = errors.Join(err, s.http.Shutdown(late))
	s.open.Wait()
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if s.cfg.Batches != nil {
		err = errors.Join(err, s.cfg.Batches.Close())
	}
	return errors.Join(err, s.openai.Close(), s.sessions.Keys().Close(), s.audit.close(), s.folder.Unlock())
}
