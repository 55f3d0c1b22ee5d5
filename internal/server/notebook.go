package server

import (
	"errors"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
)

// Variables are those of a notebook.
type Variables struct {
	Variables []past.Variable `json:"variables"`
	From      string          `json:"from"` // notebook, or log where it is busy or closed
}

// variables come from the notebook, if it is open and does nothing. Who only looks at a session does not start a worker.
func (s *Server) variables(r *request, _ none) (Variables, error) {
	l, err := s.find(r)
	if err != nil {
		return Variables{}, err
	}
	if l.Open() {
		out := Variables{Variables: []past.Variable{}, From: "notebook"}
		err := l.Ask(r.Context(), func(rs *runner.Session) error {
			vars, err := rs.Vars(r.Context())
			for _, v := range vars {
				out.Variables = append(out.Variables, past.Variable{Name: v.Name, Type: v.Type, Size: v.Size, Preview: v.Preview, Cell: v.Cell})
			}
			return err
		})
		var busy *live.BusyError
		if err == nil || !errors.As(err, &busy) && !errors.Is(err, runner.ErrBusy) {
			return out, err
		}
	}
	vars, err := past.Variables(l.Dir())
	return Variables{listed(vars), "log"}, err
}

// Builtins are the functions that cells can call besides Go's own.
type Builtins struct {
	Builtins []runner.Builtin `json:"builtins"`
}

func (s *Server) builtins(r *request, _ none) (Builtins, error) {
	var out Builtins
	return out, s.look(r, func(rs *runner.Session) error {
		out.Builtins = rs.Builtins()
		return nil
	})
}

// look reads something of the open session.
func (s *Server) look(r *request, look func(*runner.Session) error) error {
	l, err := s.find(r)
	if err != nil {
		return err
	}
	return l.Look(r.Context(), look)
}

// askNotebook has the notebook's worker find something out.
func (s *Server) askNotebook(r *request, ask func(*runner.Session) error) error {
	l, err := s.find(r)
	if err != nil {
		return err
	}
	return l.Ask(r.Context(), ask)
}

// Writing is a cell that is being written, around the cursor.
type Writing struct {
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
}

// Completion is what can stand at the cursor. An item takes the place of Prefix.
type Completion struct {
	Prefix string       `json:"prefix"`
	Items  []Suggestion `json:"items"`
}

// Suggestion is a name that can stand at the cursor.
type Suggestion struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // variable, builtin, function, type, constant, package, field, method, keyword
	Detail string `json:"detail,omitempty"`
	Doc    string `json:"doc,omitempty"`
}

func (s *Server) complete(r *request, in Writing) (Completion, error) {
	out := Completion{Items: []Suggestion{}}
	err := s.askNotebook(r, func(rs *runner.Session) error {
		done, err := rs.Complete(r.Context(), in.Before)
		out.Prefix = done.Prefix
		for _, item := range done.Items {
			out.Items = append(out.Items, Suggestion(item))
		}
		return err
	})
	return out, err
}

// Signature is how the function is called in whose call the cursor stands; there is no name where it stands in none.
type Signature struct {
	Name       string   `json:"name"`
	Parameters []string `json:"parameters"`
	Active     int      `json:"active"`
	Result     string   `json:"result,omitempty"`
	Doc        string   `json:"doc,omitempty"`
}

func (s *Server) signature(r *request, in Writing) (Signature, error) {
	out := Signature{Parameters: []string{}}
	err := s.askNotebook(r, func(rs *runner.Session) error {
		sig, err := rs.Signature(r.Context(), in.Before)
		if sig != nil {
			out = Signature(*sig)
		}
		return err
	})
	return out, err
}

// Checked says whether a cell can be run, and if not, why.
type Checked struct {
	OK      bool   `json:"ok"`
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1, like Column; 0 where not known
	Column  int    `json:"column,omitempty"`
}

type checkRequest struct {
	Source string `json:"source"`
}

func (s *Server) check(r *request, in checkRequest) (out Checked, err error) {
	err = s.askNotebook(r, func(rs *runner.Session) error {
		wrong, err := rs.Check(r.Context(), in.Source)
		if out.OK = err == nil && wrong == nil; wrong != nil {
			out = Checked{Kind: string(wrong.Kind), Message: wrong.Message, Line: wrong.Line, Column: wrong.Column}
		}
		return err
	})
	return out, err
}

type membersRequest struct {
	Operand string `json:"operand"`
}

// Members are names that can stand behind an operand and a dot.
type Members struct {
	Members []string `json:"members"`
}

func (s *Server) members(r *request, in membersRequest) (out Members, err error) {
	err = s.askNotebook(r, func(rs *runner.Session) error {
		names, err := rs.Members(r.Context(), in.Operand)
		out.Members = listed(names)
		return err
	})
	return out, err
}
