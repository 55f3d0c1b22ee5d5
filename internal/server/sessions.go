package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// About is what a page knows of its server.
type About struct {
	Version string         `json:"version"`
	User    string         `json:"user"`
	Owner   bool           `json:"owner"` // of the data folder
	Model   string         `json:"model,omitempty"`
	NoModel string         `json:"no_model,omitempty"` // why there is none
	Models  []string       `json:"models"`
	Folders []string       `json:"folders"`
	Formats []string       `json:"formats"`
	Budgets runner.Budgets `json:"budgets"`
	Limits  Bounds         `json:"limits"`
	MaxRuns int            `json:"max_runs"`
	Demo    *AboutDemo     `json:"demo,omitempty"`
	Batches bool           `json:"batches"` // there is a queue whose batches can be seen
}

// Bounds are the most that a server takes.
type Bounds struct {
	Upload   int64 `json:"upload"`
	Files    int   `json:"files"`
	Body     int64 `json:"body"`
	Sessions int   `json:"sessions"`
}

// AboutDemo is what the recorded demo answers.
type AboutDemo struct {
	Question string `json:"question"`
}

func (s *Server) about(r *request, _ none) (About, error) {
	out := About{
		Version: s.cfg.Version, User: r.who.Name, Owner: r.who.Owner, Model: s.cfg.ModelName, NoModel: s.cfg.NoModel, Models: listed(s.cfg.Models),
		Folders: listed(s.cfg.Folders), Formats: slices.Sorted(maps.Keys(export.Formats())), Budgets: runner.DefaultBudgets(),
		Limits: Bounds{s.cfg.MaxUpload, mostFiles, mostBody, mostSessions}, MaxRuns: s.cfg.MaxRuns, Batches: r.who.Owner && s.cfg.Batches != nil,
	}
	if s.cfg.Demo != nil {
		out.Demo = &AboutDemo{s.cfg.Demo.Question}
	}
	return out, nil
}

// listed is a list that is never null in JSON.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// atMost is how many of a list are wanted: the usual number if none is asked for, never more than most.
func atMost(asked, usual, most int) int {
	if asked <= 0 {
		asked = usual
	}
	return min(asked, most)
}

// mostSessions bounds the sessions of one user.
const mostSessions = 1000

// Session is what is told of a session, in a list and by itself.
type Session struct {
	ID string `json:"id"`
	trajectory.Summary
	Owner  string     `json:"owner"`
	Shared bool       `json:"shared"`
	State  live.State `json:"state"`
}

func (s *Server) told(sum trajectory.Summary) Session {
	whose := s.owners.of(sum.ID)
	out := Session{ID: sum.ID, Summary: sum, Owner: whose.Owner, Shared: whose.Shared}
	if out.Owner == "" {
		out.Owner = ownerName
	}
	if l, ok := s.sessions.Known(sum.ID); ok {
		out.State = l.State()
	}
	return out
}

type listRequest struct {
	Query  string `json:"q"`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

// Listed is a part of the list of sessions.
type Listed struct {
	Sessions []Session `json:"sessions"`
	Total    int       `json:"total"`
}

// listSessions lists sessions and runs, the newest first.
func (s *Server) listSessions(r *request, in listRequest) (Listed, error) {
	all, err := trajectory.List(s.cfg.Runner.RunsDir())
	if err != nil {
		return Listed{}, err
	}
	want := past.Want(in.Query)
	all = slices.DeleteFunc(all, func(sum trajectory.Summary) bool {
		return !s.owners.may(r.who, sum.ID) || !want.In(sum.Name+"\n"+sum.Question+"\n"+sum.Answer+"\n"+sum.ID)
	})
	out := Listed{Sessions: []Session{}, Total: len(all)}
	from := min(max(in.Offset, 0), len(all))
	to := len(all)
	if in.Limit > 0 {
		to = min(to, from+in.Limit)
	}
	for _, sum := range all[from:to] {
		out.Sessions = append(out.Sessions, s.told(sum))
	}
	return out, nil
}

// Text is a document that comes with a request.
type Text struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Added is what a context is made from.
type Added struct {
	Texts []Text   `json:"texts,omitempty"`
	Paths []string `json:"paths,omitempty"`
}

// inputs checks what is to be added: paths lie below the folders that the server was started with.
func (s *Server) inputs(a Added) ([]runner.Input, error) {
	var in []runner.Input
	for _, t := range a.Texts {
		name, err := documentName(t.Name)
		if err != nil {
			return nil, err
		}
		in = append(in, runner.Text(name, t.Text))
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

// documentName checks the name of a document that comes with a request. It is only a name: nothing is opened by it.
func documentName(name string) (string, error) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	bad := strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError })
	if name == "" || len(name) > 500 || bad {
		return "", badRequest(fmt.Sprintf("a document needs a name of at most 500 bytes, without control characters; this one is %.200q", name))
	}
	return name, nil
}

type createRequest struct {
	Name  string `json:"name,omitempty"`
	Empty bool   `json:"empty,omitempty"` // without what the server was started with
	Added
}

func (s *Server) createSession(r *request, in createRequest) (Session, error) {
	inputs, err := s.inputs(in.Added)
	if err != nil {
		return Session{}, err
	}
	if len(inputs) == 0 && !in.Empty && r.who.Owner {
		inputs = s.cfg.Inputs
	}
	l, again, err := s.made(r, func() (*live.Session, error) { return s.sessions.Create(r.Context(), inputs...) })
	if err != nil {
		return Session{}, err
	}
	if in.Name != "" && !again {
		if err := rename(r, l, in.Name); err != nil {
			return Session{}, err
		}
	}
	return s.summary(l)
}

// room refuses a session to somebody who has very many.
func (s *Server) room(who Person) error {
	if !who.Owner && s.owners.count(who.Name) >= mostSessions {
		return &failure{http.StatusTooManyRequests, "limit", fmt.Sprintf("there are %d sessions of yours; delete some", mostSessions), nil}
	}
	return nil
}

func rename(r *request, l *live.Session, name string) error {
	if len(name) > 200 || !utf8.ValidString(name) {
		return badRequest("a session's name has at most 200 bytes")
	}
	return l.With(r.Context(), r.actor(), "rename", func(_ context.Context, rs *runner.Session) error { return rs.Rename(name) })
}

// actor is who makes a request, in which window.
func (r *request) actor() live.Actor {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	client := r.Header.Get("Rlm-Client")
	if len(client) > 64 || strings.Trim(client, letters) != "" {
		client = ""
	}
	return live.Actor{Name: r.who.Name, Client: client}
}

// find is the session that a request is about, if the one who makes it may see it.
func (s *Server) find(r *request) (*live.Session, error) { return s.session(r.who, r.PathValue("id")) }

func (s *Server) session(who Person, id string) (*live.Session, error) {
	l, err := s.sessions.Get(id)
	switch {
	case err == nil && s.owners.may(who, l.ID()):
		return l, nil
	case err != nil && who.Owner:
		return nil, err
	}
	return nil, notFound("there is no session " + id) // nobody learns which sessions others have
}

func (s *Server) summary(l *live.Session) (Session, error) {
	sum, err := trajectory.Summarize(l.Dir())
	if err != nil {
		return Session{}, err
	}
	sum.ID = l.ID()
	return s.told(sum), nil
}

func (s *Server) getSession(r *request, _ none) (Session, error) {
	l, err := s.find(r)
	if err != nil {
		return Session{}, err
	}
	return s.summary(l)
}

type changeRequest struct {
	Name   *string `json:"name,omitempty"`
	Shared *bool   `json:"shared,omitempty"`
}

func (s *Server) changeSession(r *request, in changeRequest) (Session, error) {
	l, err := s.find(r)
	if err == nil && in.Name != nil {
		err = rename(r, l, *in.Name)
	}
	if err == nil && in.Shared != nil {
		err = s.share(r.who, l, *in.Shared)
	}
	if err != nil {
		return Session{}, err
	}
	return s.summary(l)
}

// share lets others use a session, or ends that.
func (s *Server) share(who Person, l *live.Session, shared bool) error {
	whose := s.owners.of(l.ID())
	if !who.Owner && whose.Owner != who.Name {
		return &failure{http.StatusForbidden, "forbidden", "only its owner can share a session", nil}
	}
	whose.Shared = shared
	defer l.Announce() // the lists and those who read it hear of it
	return s.owners.set(l.ID(), whose)
}

func (s *Server) deleteSession(r *request, _ none) (none, error) {
	l, err := s.find(r)
	if err != nil {
		return none{}, err
	}
	if whose := s.owners.of(l.ID()); !r.who.Owner && whose.Owner != r.who.Name {
		return none{}, &failure{http.StatusForbidden, "forbidden", "only its owner can delete a session", nil}
	}
	if err := s.sessions.Remove(l); err != nil {
		return none{}, err
	}
	return none{}, s.owners.set(l.ID(), owned{})
}
