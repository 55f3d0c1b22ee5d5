package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
)

// sharedSession is a session that this process shares with others.
type sharedSession struct {
	server *Server
	served chan error
}

// Share serves the part of the API that is about one session, on a socket in the session's folder that only this
// user can open. All who connect count as the owner. Close the returned value. Since the caller has the session
// open, an existing socket was left by a killed process and is replaced. Share fails where sockets are unavailable,
// for example because the file system does not support them.
func Share(m *session.Manager, l *session.Session) (io.Closer, error) {
	if runtime.GOOS == "windows" { // there, other users could open the socket
		return nil, errors.ErrUnsupported
	}
	socket, err := files.ListenSocket(session.SocketOf(l.Dir()))
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: Config{MaxUpload: 2 << 30, Log: slog.New(slog.DiscardHandler)}, sessions: m}
	s.down, s.shut = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	for _, c := range m.Commands() {
		if c.Route != "" && c.Access != session.Anyone {
			s.route(mux, l.ID(), s.of(c))
		}
	}
	for _, e := range s.others() {
		if e.Route == "GET events" || e.Route == "GET sessions/{id}/export" || e.Route == "POST sessions/{id}/uploads" {
			s.route(mux, l.ID(), e)
		}
	}
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mux.ServeHTTP(w, r.WithContext(context.WithValue(
				r.Context(), visitorKey{}, visitor{Person: session.Person{Name: session.Terminal, Owner: true}})))
		}),
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
	}
	out := &sharedSession{s, make(chan error, 1)}
	go func() { out.served <- s.http.Serve(socket) }()
	return out, nil
}

// route serves an endpoint for one session only.
func (s *Server) route(mux *http.ServeMux, id string, e endpoint) {
	method, path, _ := strings.Cut(e.Route, " ")
	mux.HandleFunc(method+" /api/v1/"+strings.ReplaceAll(path, "{id}", id),
		func(w http.ResponseWriter, r *http.Request) {
			r.SetPathValue("id", id)
			e.serve(w, r)
		})
}

// Close stops sharing the session: it ends streams and lets requests in progress finish. The session stays open.
func (s *sharedSession) Close() error {
	s.server.shut()
	late, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.server.http.Shutdown(late) != nil {
		_ = s.server.http.Close() // clients that still wait get no response
	}
	if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
