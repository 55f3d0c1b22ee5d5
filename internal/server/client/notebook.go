package client

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Settings are those of the questions to come, with what the session has used so far.
type Settings struct {
	Model    string         `json:"model"`
	SubModel string         `json:"sub_model"`
	Mode     string         `json:"mode"`
	Budgets  runner.Budgets `json:"budgets"`
	Level    string         `json:"level"`
	Totals   struct {
		Cost  float64                     `json:"cost"`
		Known bool                        `json:"known"`
		Usage map[string]trajectory.Usage `json:"usage"`
	} `json:"totals"`
	Pending bool `json:"pending"` // the last run can be resumed
}

// Settings are those of a session.
func (c *Client) Settings(ctx context.Context, id string) (s Settings, err error) {
	return s, c.get(ctx, "sessions/"+id+"/settings", nil, &s)
}

// Set changes the settings of a session for the questions to come.
func (c *Client) Set(ctx context.Context, id string, choice Choice) (s Settings, err error) {
	return s, c.ask(ctx, http.MethodPatch, "sessions/"+id+"/settings", "", choice, &s)
}

// Rename gives a session a name.
func (c *Client) Rename(ctx context.Context, id, name string) error {
	var s Session
	return c.ask(ctx, http.MethodPatch, "sessions/"+id, "", map[string]any{"name": name}, &s)
}

// Variables are those of a session's notebook.
func (c *Client) Variables(ctx context.Context, id string) ([]runner.Var, error) {
	var out struct{ Variables []runner.Var }
	err := c.get(ctx, "sessions/"+id+"/variables", nil, &out)
	return out.Variables, err
}

// Members are the names that can stand behind an operand and a dot, or at the place of a name where the operand is empty.
func (c *Client) Members(ctx context.Context, id, operand string) ([]string, error) {
	var out struct{ Members []string }
	err := c.post(ctx, "sessions/"+id+"/members", "", map[string]any{"operand": operand}, &out)
	return out.Members, err
}

// Documents are those of a session's context: its first thousand, of which total are there.
func (c *Client) Documents(ctx context.Context, id string) (docs []runner.Document, total int, err error) {
	var out struct {
		Total     int
		Documents []struct {
			Name, State, Kind, Note string
			Offset, Size            int64
			Pages                   int
		}
	}
	err = c.get(ctx, "sessions/"+id+"/documents", nil, &out)
	for _, d := range out.Documents {
		docs = append(docs, runner.Document{
			Name: d.Name, Offset: d.Offset, Size: d.Size, State: runner.DocumentState(d.State), Kind: d.Kind, Pages: d.Pages, Note: d.Note,
		})
	}
	return docs, out.Total, err
}

// Remove takes a document out of a session's context.
func (c *Client) Remove(ctx context.Context, id, name string) (b Begun, err error) {
	req, err := c.request(ctx, http.MethodDelete, "sessions/"+id+"/documents", nil)
	if err != nil {
		return b, err
	}
	req.URL.RawQuery = url.Values{"name": {name}}.Encode()
	return b, c.do(req, &b)
}

// AddFiles adds a file, or those of a folder whose names do not begin with a dot, to an upload.
func AddFiles(path string, add func(name string, r io.Reader) error) error {
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && file != path; hidden && d.IsDir() {
			return fs.SkipDir
		} else if hidden || !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := add(filepath.ToSlash(file), f); err != nil {
			return fmt.Errorf("sending %s: %w", file, err)
		}
		return nil
	})
}
