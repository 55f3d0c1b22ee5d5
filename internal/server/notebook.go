package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// start begins something that takes time; what comes of it is told by events.
func (s *Server) start(r *http.Request, l *live.Session, doing string, run bool, do func(context.Context, *runner.Session) error) (any, error) {
	err := l.Start(owner, doing, run, do, func(err error) {
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, live.ErrStopped) {
			l.Say(err)
			s.cfg.Log.Warn("failed", "session", l.ID(), "doing", doing, "error", err)
		}
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"session": l.ID(), "state": l.State()}, nil
}

// events of a run are read to its end: that is what makes it go on.
func toTheEnd(events func(func(trajectory.Event, error) bool)) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) ask(r *http.Request) (any, error) {
	var req struct {
		Question string `json:"question"`
		Model    string `json:"model"`
	}
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(req.Question) == "" {
		return nil, badRequest("the question is empty")
	}
	var opts []runner.Option
	if req.Model != "" {
		m, err := s.cfg.Model(r.Context(), req.Model)
		if err != nil {
			return nil, badRequest(err.Error())
		}
		opts = append(opts, runner.WithModel(m))
	}
	return s.start(r, l, "ask", true, func(ctx context.Context, rs *runner.Session) error {
		if err := rs.Set(opts...); err != nil {
			return err
		}
		return toTheEnd(rs.Ask(ctx, req.Question))
	})
}

func (s *Server) runCell(r *http.Request) (any, error) {
	var req struct {
		Source string `json:"source"`
	}
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err != nil {
		return nil, err
	}
	return s.start(r, l, "cell", false, func(ctx context.Context, rs *runner.Session) error {
		_, err := rs.Exec(ctx, req.Source)
		return err
	})
}

func (s *Server) stop(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err == nil {
		l.Stop()
	}
	return nil, err
}

func (s *Server) undo(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return s.start(r, l, "undo", false, func(ctx context.Context, rs *runner.Session) error { return rs.Undo(ctx) })
}

func (s *Server) resume(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	return s.start(r, l, "resume", true, func(ctx context.Context, rs *runner.Session) error { return toTheEnd(rs.Resume(ctx)) })
}

func (s *Server) review(r *http.Request) (any, error) {
	var req struct {
		Approved bool   `json:"approved"`
		Note     string `json:"note"`
	}
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err != nil {
		return nil, err
	}
	return s.start(r, l, "review", true, func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Review(ctx, req.Approved, req.Note))
	})
}

// fork makes a copy of a session that goes on by itself.
func (s *Server) fork(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	var made *live.Session
	err = l.With(r.Context(), owner, "fork", func(ctx context.Context, rs *runner.Session) error {
		fork, err := rs.Fork(ctx)
		if err != nil {
			return err
		}
		made, err = s.sessions.Take(fork)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.summary(made)
}

func (s *Server) variables(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	out := []map[string]any{}
	err = l.With(r.Context(), owner, "variables", func(ctx context.Context, rs *runner.Session) error {
		vars, err := rs.Vars(ctx)
		for _, v := range vars {
			out = append(out, map[string]any{"name": v.Name, "type": v.Type, "size": v.Size, "preview": v.Preview})
		}
		return err
	})
	return map[string]any{"variables": out}, err
}

// members completes "operand." with what can stand behind the point.
func (s *Server) members(r *http.Request) (any, error) {
	var req struct {
		Operand string `json:"operand"`
	}
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err != nil {
		return nil, err
	}
	names := []string{}
	err = l.With(r.Context(), owner, "members", func(ctx context.Context, rs *runner.Session) error {
		found, err := rs.Members(ctx, req.Operand)
		names = append(names, found...)
		return err
	})
	return map[string]any{"members": names}, err
}

func (s *Server) documents(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	out := []map[string]any{}
	err = l.With(r.Context(), owner, "documents", func(_ context.Context, rs *runner.Session) error {
		for _, d := range rs.Documents() {
			out = append(out, map[string]any{"name": d.Name, "offset": d.Offset, "size": d.Size, "encoding": d.Encoding, "state": d.State})
		}
		return nil
	})
	return map[string]any{"documents": out}, err
}

func (s *Server) addDocuments(r *http.Request) (any, error) {
	var req added
	l, err := s.find(r)
	if err == nil {
		err = read(r, &req)
	}
	if err != nil {
		return nil, err
	}
	in, err := s.inputs(req)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return nil, badRequest("name texts or paths to add")
	}
	return s.start(r, l, "add", false, func(ctx context.Context, rs *runner.Session) error { return rs.AddContext(ctx, in...) })
}

func (s *Server) removeDocument(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	name := r.URL.Query().Get("name")
	return s.start(r, l, "remove", false, func(ctx context.Context, rs *runner.Session) error { return rs.RemoveContext(ctx, name) })
}

// event is one event with its long texts.
func (s *Server) event(r *http.Request) (any, error) {
	l, err := s.find(r)
	if err != nil {
		return nil, err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return nil, badRequest("an event has a number")
	}
	for ev, err := range trajectory.Skim(l.Dir()) {
		if err != nil {
			return nil, err
		}
		if ev.Seq == seq {
			return ev.Loaded()
		}
	}
	return nil, &failure{http.StatusNotFound, "not_found", fmt.Sprintf("there is no event %d", seq)}
}

// export writes a session for other readers.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	l, err := s.find(r)
	if err != nil {
		f := failureOf(err)
		fail(w, f.status, f.code, f.message)
		return
	}
	format := r.URL.Query().Get("format")
	write, ok := export.Formats()[format]
	if !ok {
		fail(w, http.StatusBadRequest, "bad_request", "format is html, ipynb, markdown or rlm-jsonl")
		return
	}
	ending := map[string]string{"html": "html", "ipynb": "ipynb", "markdown": "md", "rlm-jsonl": "jsonl"}[format]
	w.Header().Set("Content-Type", "application/octet-stream") // never shown as a page of this server
	w.Header().Set("Content-Disposition", `attachment; filename="`+l.ID()+"."+ending+`"`)
	if err := write(w, trajectory.Salvage(l.Dir())); err != nil {
		s.cfg.Log.Warn("export failed", "session", l.ID(), "error", err)
	}
}
