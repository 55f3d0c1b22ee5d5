package api

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// About is what a page needs to know about its server.
type About struct {
	Version string         `json:"version"`
	User    string         `json:"user"`
	Owner   bool           `json:"owner"` // whether the user owns the data folder
	Model   string         `json:"model,omitempty"`
	NoModel string         `json:"no_model,omitempty"` // why there is no model
	Models  []string       `json:"models"`
	Folders []string       `json:"folders"` // for the owner: from which files can be added
	Formats []string       `json:"formats"`
	Budgets runner.Budgets `json:"budgets"`
	Limits  Bounds         `json:"limits"`
	MaxRuns int            `json:"max_runs"`
	Demo    *AboutDemo     `json:"demo,omitempty"`
	Batches bool           `json:"batches"`          // there is a queue whose batches the user may see
	Offers  []Offer        `json:"offers,omitempty"` // providers whose models the user can set up
}

// Offer is a provider, with the model to suggest.
type Offer struct {
	Provider string `json:"provider"`
	Title    string `json:"title"`
	Model    string `json:"model"`
}

// SetUpRequest names a provider's model and the key for it.
type SetUpRequest struct {
	Provider string     `json:"provider"`
	Model    string     `json:"model"`
	Key      llm.Secret `json:"key"`
}

// Bounds are the server's upper limits.
type Bounds struct {
	Upload   int64 `json:"upload"`
	Files    int   `json:"files"`
	Body     int64 `json:"body"`
	Sessions int   `json:"sessions"`
	Disk     int64 `json:"disk,omitempty"`  // maximum bytes of the user's sessions and files
	Cells    int   `json:"cells,omitempty"` // maximum number of the user's cells running at the same time
}

// AboutDemo is the question that the recorded demo answers.
type AboutDemo struct {
	Question string `json:"question"`
}

func (s *Server) about(_ context.Context, c *session.Call, _ struct{}) (About, error) {
	out := About{
		Version: s.cfg.Version, User: c.Who.Name, Owner: c.Who.Owner, Model: s.cfg.ModelName, NoModel: s.cfg.NoModel,
		Models: append([]string{}, s.cfg.Models...), Folders: []string{},
		Formats: slices.Sorted(maps.Keys(formats.All())), Budgets: runner.DefaultBudgets(),
		Limits:  Bounds{Upload: s.cfg.MaxUpload, Files: mostFiles, Body: mostBody, Sessions: session.MostSessions},
		MaxRuns: s.cfg.MaxRuns, Batches: c.Who.Owner && s.cfg.Batches != nil,
	}
	if !c.Who.Owner {
		own := s.users.limits(c.Who.Name)
		out.Limits.Disk, out.Limits.Cells = own.Disk, cmp.Or(own.Cells, session.CellsOfUser)
	}
	if c.Who.Owner {
		out.Folders = append(out.Folders, s.cfg.Folders...)
	}
	if c.Who.Owner && s.cfg.SetUp != nil {
		out.Offers = s.cfg.Offers
	}
	if s.cfg.Demo != nil {
		out.Demo = &AboutDemo{s.cfg.Demo.Question}
	}
	return out, nil
}

// setUp chooses the first model. Only the owner may do so, because they started the server, and only at the
// providers' own addresses.
func (s *Server) setUp(ctx context.Context, c *session.Call, in SetUpRequest) (struct{}, error) {
	offered := func(o Offer) bool { return o.Provider == in.Provider }
	switch {
	case !c.Who.Owner || s.cfg.SetUp == nil:
		return struct{}{}, &session.Error{Code: session.Forbidden, Message: "no model can be set up here"}
	case !slices.ContainsFunc(s.cfg.Offers, offered):
		return struct{}{}, &session.Error{
			Code: session.BadRequest, Message: "choose one of the providers that the server offers",
		}
	}
	if err := s.cfg.SetUp(ctx, in); err != nil {
		return struct{}{}, &session.Error{Code: session.NoModel, Message: err.Error()}
	}
	return struct{}{}, nil
}
