package server

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// about is what a page knows of its server.
func (s *Server) about(*http.Request) (any, error) {
	return struct {
		Version string   `json:"version"`
		Models  []string `json:"models"`
		Folders []string `json:"folders"`
	}{s.cfg.Version, s.cfg.Models, s.cfg.Folders}, nil
}

// session is what is told of a session, in a list and by itself.
type session struct {
	ID string `json:"id"`
	trajectory.Summary
	State live.State `json:"state"`
}

func (s *Server) told(sum trajectory.Summary) session {
	out := session{ID: sum.ID, Summary: sum}
	if l, ok := s.sessions.Known(sum.ID); ok {
		out.State = l.State()
	}
	return out
}

// listSessions lists sessions and runs, the newest first. ?q= looks in names, questions and ids.
func (s *Server) listSessions(r *http.Request) (any, error) {
	all, err := trajectory.List(s.cfg.Runner.RunsDir())
	if err != nil {
		return nil, err
	}
	q := strings.ToLower(r.URL.Query().Get("q"))
	out := []session{}
	for _, sum := range all {
		if q == "" || strings.Contains(strings.ToLower(sum.Name+"\n"+sum.Question+"\n"+sum.ID), q) {
			out = append(out, s.told(sum))
		}
	}
	return map[string]any{"sessions": out}, nil
}

// text is a document that comes with a request.
type text struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// added is what a context is made from.
type added struct {
	Texts []text   `json:"texts"`
	Paths []string `json:"paths"`
}

// inputs checks what is to be added: paths lie below the folders that the server was started with.
func (s *Server) inputs(a added) ([]runner.Input, error) {
	var in []runner.Input
	for _, t := range a.Texts {
		if strings.TrimSpace(t.Name) == "" {
			return nil, badRequest("a text needs a name")
		}
		in = append(in, runner.Text(t.Name, t.Text))
	}
	for _, p := range a.Paths {
		real, err := s.inFolders(p)
		if err != nil {
			return nil, err
		}
		in = append(in, runner.Path(real))
	}
	return in, nil
}

// inFolders is a path below the server's folders, its links followed.
func (s *Server) inFolders(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err == nil {
		for _, folder := range s.cfg.Folders {
			root, rerr := filepath.EvalSymlinks(folder)
			if rerr != nil {
				continue
			}
			if rel, rerr := filepath.Rel(root, real); rerr == nil && filepath.IsLocal(rel) {
				return real, nil
			}
		}
	}
	// Whether a file outside is there is nobody's business.
	return "", &failure{http.StatusForbidden, "path", path + " is not in the folders that the server was started with"}
}

func (s *Server) createSession(r *http.Request) (any, error) {
	var req struct {
		Name string `json:"name"`
		added
	}
	if err := read(r, &req); err != nil {
		return nil, err
	}
	in, err := s.inputs(req.added)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 {
		in = s.cfg.Inputs
	}
	l, err := s.sessions.Create(r.Context(), in...)
	if err != nil {
		return nil, err
	}
	if req.Name != "" {
		err = l.With(r.Context(), owner, "rename", func(_ context.Context, rs *runner.Session) error { return rs.Rename(req.Name) })
	}
	if err != nil {
		return nil, err
	}
	return s.summary(l)
}

// find is the session that a request is about.
func (s *Server) find(r *http.Request) (*live.Session, error) {
	return s.sessions.Get(r.PathValue("id"))
}

func (s *Server) summary(l *live.Session) (any, error) {
	sum, err := trajectory.Summarize(l.Dir())
	if err != nil {
		return nil, err
	}
	sum.ID = l.ID()
	return s.told(sum), nil
}

func (s *Server) getSession(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return s.summary(l)
}

func (s *Server) changeSession(r *http.Request) (any, error) {
	var req struct {
		Name *string `json:"name"`
	}
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err == nil && req.Name != nil {
		err = l.With(r.Context(), owner, "rename", func(_ context.Context, rs *runner.Session) error { return rs.Rename(*req.Name) })
	}
	if err != nil {
		return nil, err
	}
	return s.summary(l)
}

func (s *Server) deleteSession(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return nil, s.sessions.Remove(l)
}

// owner is who works with the server's own token.
const owner = "you"
