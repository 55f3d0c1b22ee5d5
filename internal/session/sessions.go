package session

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// MostSessions bounds the sessions of one user.
const MostSessions = 1000

// Summary describes a session.
type Summary struct {
	ID string `json:"id"`
	trajectory.Summary
	Owner  string `json:"owner"`
	Shared bool   `json:"shared"`
	State  State  `json:"state"`
}

// ListRequest asks for a page of the sessions that contain Query: Limit of them (0: all), after skipping Offset.
type ListRequest struct {
	Query  string `json:"q"`
	Kind   string `json:"kind,omitempty"` // "job": the runs of batches, which are otherwise left out
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
}

// SessionPage is a page of the list of sessions.
type SessionPage struct {
	Sessions []Summary `json:"sessions"`
	Total    int       `json:"total"`
}

// CreateRequest gives a new session its name and its documents.
type CreateRequest struct {
	Name  string `json:"name,omitempty"`
	Empty bool   `json:"empty,omitempty"` // do not use the server's default inputs
	ContextSpec
}

// ChangeRequest changes the name of a session, or whether it is shared. A nil member changes nothing.
type ChangeRequest struct {
	Name   *string `json:"name,omitempty"`
	Shared *bool   `json:"shared,omitempty"`
}

func summary(_ context.Context, c *Call, _ struct{}) (Summary, error) {
	return c.manager.Summary(c.live)
}

func remove(_ context.Context, c *Call, _ struct{}) (struct{}, error) {
	err := c.manager.Remove(c.live)
	if err == nil {
		err = c.manager.owners.set(c.live.ID(), ownership{})
	}
	return struct{}{}, err
}

// list lists sessions and runs, newest first.
func list(_ context.Context, c *Call, in ListRequest) (SessionPage, error) {
	all, err := trajectory.List(c.manager.cfg.Runner.RunsDir())
	if err != nil {
		return SessionPage{}, err
	}
	want := history.Want(in.Query)
	all = slices.DeleteFunc(all, func(sum trajectory.Summary) bool {
		return (sum.Kind == trajectory.KindJob) != (in.Kind == string(trajectory.KindJob)) ||
			!c.manager.May(c.Who, sum.ID) || !want.In(sum.Name+"\n"+sum.Question+"\n"+sum.Answer+"\n"+sum.ID)
	})
	out := SessionPage{Sessions: []Summary{}, Total: len(all)}
	from := min(max(in.Offset, 0), len(all))
	to := len(all)
	if in.Limit > 0 {
		to = min(to, from+in.Limit)
	}
	for _, sum := range all[from:to] {
		out.Sessions = append(out.Sessions, c.manager.summary(sum))
	}
	return out, nil
}

// atMost returns the limit of a list: the requested one, or usual if none is, but never more than most.
func atMost(asked, usual, most int) int {
	if asked <= 0 {
		asked = usual
	}
	return min(asked, most)
}

func (m *Manager) summary(sum trajectory.Summary) Summary {
	whose := m.owners.of(sum.ID)
	out := Summary{ID: sum.ID, Summary: sum, Owner: whose.Owner, Shared: whose.Shared}
	if out.Owner == "" {
		out.Owner = OwnerName
	}
	if l, ok := m.known(sum.ID); ok {
		out.State = l.State()
		if sum.Status == trajectory.StatusRunning && !out.State.live() { // it has ended since its log was read
			if ended, err := trajectory.Summarize(l.Dir()); err == nil {
				ended.ID = sum.ID
				// in this order, because another run may have begun
				out.Summary, out.State = ended, l.State()
				if ended.Status == trajectory.StatusRunning && !out.State.live() { // its end could not be recorded
					out.Status = trajectory.StatusInterrupted
				}
			}
		}
	}
	return out
}

// Summary describes a session.
func (m *Manager) Summary(l *Session) (Summary, error) {
	sum, err := trajectory.Summarize(l.Dir())
	if err != nil {
		return Summary{}, err
	}
	sum.ID = l.ID()
	return m.summary(sum), nil
}

func create(ctx context.Context, c *Call, in CreateRequest) (Summary, error) {
	inputs, err := c.manager.inputs(in.ContextSpec)
	if err != nil {
		return Summary{}, err
	}
	if len(inputs) == 0 && !in.Empty && c.Who.Owner {
		inputs = c.manager.cfg.Inputs
	}
	l, again, err := c.made(func() (*Session, error) {
		if err := c.manager.RoomFor(c.Who, in.size()); err != nil {
			return nil, err
		}
		return c.manager.Create(ctx, inputs...)
	})
	if err != nil {
		return Summary{}, err
	}
	if c.live = l; in.Name != "" && !again {
		if err := c.rename(ctx, in.Name); err != nil {
			return Summary{}, err
		}
	}
	return c.manager.Summary(l)
}

func (c *Call) rename(ctx context.Context, name string) error {
	if len(name) > 200 || !utf8.ValidString(name) {
		return badRequest("a session name must not be longer than 200 bytes")
	}
	return c.with(ctx, "rename", func(rs *runner.Session) error { return rs.Rename(name) })
}

func change(ctx context.Context, c *Call, in ChangeRequest) (out Summary, err error) {
	if in.Name != nil {
		err = c.rename(ctx, *in.Name)
	}
	if err == nil && in.Shared != nil {
		err = c.share(*in.Shared)
	}
	if err != nil {
		return Summary{}, err
	}
	return c.manager.Summary(c.live)
}

// share shares a session with all users, or stops sharing it.
func (c *Call) share(shared bool) error {
	if err := c.owns("share"); err != nil {
		return err
	}
	whose := c.manager.owners.of(c.live.ID())
	whose.Shared = shared
	defer c.live.Announce() // notify lists and readers
	return c.manager.owners.set(c.live.ID(), whose)
}

// owns returns an error unless the person owns the session or the data folder.
func (c *Call) owns(to string) error {
	if whose := c.manager.owners.of(c.live.ID()); !c.Who.Owner && !whose.isOf(c.Who) {
		return &Error{Code: Forbidden, Message: "only its owner can " + to + " a session"}
	}
	return nil
}

// CreateFor makes a session that belongs to a person, unless they have too many sessions.
func (m *Manager) CreateFor(who Person, create func() (*Session, error)) (*Session, error) {
	if err := m.room(who); err != nil {
		return nil, err
	}
	l, err := create()
	if err == nil {
		err = m.own(who, l.ID())
	}
	return l, err
}

// Own makes a person the owner of a new session, unless they have too many sessions.
func (m *Manager) Own(who Person, id string) error {
	if err := m.room(who); err != nil {
		return err
	}
	return m.own(who, id)
}

func (m *Manager) own(who Person, id string) error {
	if who.Owner {
		return nil
	}
	return m.owners.set(id, ownership{Owner: who.Name, Who: who.Identity})
}

func (m *Manager) room(who Person) error {
	if !who.Owner && m.owners.count(who) >= MostSessions {
		return &Error{Code: Limit, Message: fmt.Sprintf("you already have %d sessions; delete some", MostSessions)}
	}
	return m.RoomFor(who, 0)
}

// Find returns the session with an id, which may be shortened, if the person may see it. The error does not reveal
// whether there is such a session of another user.
func (m *Manager) Find(who Person, id string) (*Session, error) {
	l, err := m.Get(id)
	switch {
	case err == nil && m.May(who, l.ID()):
		return l, nil
	case err != nil && who.Owner:
		return nil, err
	}
	return nil, &Error{Code: NotFound, Message: "there is no session " + text.Short(id, 64)}
}
