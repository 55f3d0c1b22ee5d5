package session

import (
	"context"

	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner"
)

// Variable is a variable of a notebook, with the beginning of its value.
type Variable = history.Variable

// Variables lists the variables of a notebook.
type Variables struct {
	Variables []history.Variable `json:"variables"`
	From      string             `json:"from"` // "notebook", or "log" if the notebook is busy or closed
}

// Builtins lists the functions that cells can call besides Go's own.
type Builtins struct {
	Builtins []runner.Builtin `json:"builtins"`
}

// CursorText is the text of an unfinished cell before and after the cursor.
type CursorText struct {
	Before string `json:"before"`
	After  string `json:"after,omitempty"`
}

// Completion lists names that fit at the cursor. A chosen one replaces Prefix.
type Completion struct {
	Prefix string       `json:"prefix"`
	Items  []Suggestion `json:"items"`
}

// Suggestion is a name that fits at the cursor.
type Suggestion struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // variable, builtin, function, type, constant, package, field, method, keyword
	Detail string `json:"detail,omitempty"`
	Doc    string `json:"doc,omitempty"`
}

// Signature describes the function whose call contains the cursor. Name is empty if the cursor is not in a call.
type Signature struct {
	Name       string   `json:"name"`
	Parameters []string `json:"parameters"`
	Active     int      `json:"active"`
	Result     string   `json:"result,omitempty"`
	Doc        string   `json:"doc,omitempty"`
}

// Checked reports whether a cell can run, and if not, why.
type Checked struct {
	OK      bool   `json:"ok"`
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1, like Column; 0 if unknown
	Column  int    `json:"column,omitempty"`
}

type checkRequest struct {
	Source string `json:"source"`
}

// MembersRequest asks for names that fit after an operand and a dot. If the operand is empty, it asks for names
// that are used without one.
type MembersRequest struct {
	Operand string `json:"operand"`
}

// Members lists names that fit after an operand and a dot.
type Members struct {
	Members []string `json:"members"`
}

// variables returns the variables of the notebook if it is open and idle, and otherwise those of the log, so that
// viewing a session does not start a worker.
func variables(ctx context.Context, c *Call, _ struct{}) (Variables, error) {
	if c.live.Open() {
		out := Variables{Variables: []history.Variable{}, From: "notebook"}
		err := c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
			vars, err := rs.Vars(ctx)
			for _, v := range vars {
				out.Variables = append(out.Variables,
					history.Variable{Name: v.Name, Type: v.Type, Size: v.Size, Preview: v.Preview, Cell: v.Cell})
			}
			return err
		})
		if err == nil || ErrorOf(err).Code != Busy {
			return out, err
		}
	}
	vars, err := history.Variables(c.live.Dir())
	return Variables{append([]history.Variable{}, vars...), "log"}, err
}

func complete(ctx context.Context, c *Call, in CursorText) (Completion, error) {
	out := Completion{Items: []Suggestion{}}
	err := c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		done, err := rs.Complete(ctx, in.Before)
		out.Prefix = done.Prefix
		for _, item := range done.Items {
			out.Items = append(out.Items, Suggestion(item))
		}
		return err
	})
	return out, err
}

func signature(ctx context.Context, c *Call, in CursorText) (Signature, error) {
	out := Signature{Parameters: []string{}}
	err := c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		sig, err := rs.Signature(ctx, in.Before)
		if sig != nil {
			out = Signature(*sig)
		}
		return err
	})
	return out, err
}

func check(ctx context.Context, c *Call, in checkRequest) (out Checked, err error) {
	err = c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		wrong, err := rs.Check(ctx, in.Source)
		if out.OK = err == nil && wrong == nil; wrong != nil {
			out = Checked{Kind: string(wrong.Kind), Message: wrong.Message, Line: wrong.Line, Column: wrong.Column}
		}
		return err
	})
	return out, err
}

func builtins(ctx context.Context, c *Call, _ struct{}) (out Builtins, err error) {
	return out, c.live.Look(ctx, func(rs *runner.Session) error {
		out.Builtins = rs.Builtins()
		return nil
	})
}

// Table is a page of rows of a table that a cell output.
type Table = runner.TablePage

func table(ctx context.Context, c *Call, in runner.TableQuery) (out Table, err error) {
	err = c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		out, err = rs.Table(ctx, in)
		return err
	})
	return out, err
}

func members(ctx context.Context, c *Call, in MembersRequest) (out Members, err error) {
	err = c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		names, err := rs.Members(ctx, in.Operand)
		out.Members = append([]string{}, names...)
		return err
	})
	return out, err
}
