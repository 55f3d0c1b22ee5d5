package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/runner"
)

// Text is a document whose text is part of a request.
type Text struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// ContextSpec lists the sources of a context.
type ContextSpec struct {
	Texts []Text   `json:"texts,omitempty"`
	Paths []string `json:"paths,omitempty"`
}

// size returns the bytes of the texts.
func (a ContextSpec) size() (sum int64) {
	for _, t := range a.Texts {
		sum += int64(len(t.Text))
	}
	return sum
}

// Upload is a set of files that were sent to this process.
type Upload struct {
	Inputs  []runner.Input
	Discard func() // deletes the files; it may be called twice
}

func add(_ context.Context, c *Call, in ContextSpec) (work, error) {
	c.room = new(in.size())
	inputs, err := c.manager.inputs(in)
	if err == nil && len(inputs) == 0 {
		err = badRequest("name texts or paths to add")
	}
	return func(ctx context.Context, rs *runner.Session) error { return rs.AddContext(ctx, inputs...) }, err
}

func addUpload(_ context.Context, c *Call, in Upload) (work, error) {
	c.done = in.Discard
	return func(ctx context.Context, rs *runner.Session) error {
		defer in.Discard() // while the session is still busy
		return rs.AddContext(ctx, in.Inputs...)
	}, nil
}

func removeDocument(_ context.Context, _ *Call, in DocumentRequest) (work, error) {
	if in.Name == "" {
		return nil, badRequest("name the document: ?name=")
	}
	return func(ctx context.Context, rs *runner.Session) error { return rs.RemoveContext(ctx, in.Name) }, nil
}

// reread reads the files of a context again. Nobody but the owner of the data folder reads what is in other folders
// now, even in a copy of a session that the owner has shared.
func reread(_ context.Context, c *Call, _ struct{}) (work, error) {
	c.room = new(int64)
	return func(ctx context.Context, rs *runner.Session) error {
		for _, path := range rs.RereadPaths() {
			if _, _, err := c.manager.inFolders(path); err != nil && !c.Who.Owner {
				return &Error{
					Code:    OutOfReach,
					Message: "the context has files outside the folders that the server was started with: only the server's owner can read them again",
				}
			}
		}
		return rs.Reread(ctx)
	}, nil
}

// inputs converts the documents of a request to inputs. Paths must lie below the folders that the process was
// started with, unless the manager is Local.
func (m *Manager) inputs(a ContextSpec) ([]runner.Input, error) {
	var in []runner.Input
	for _, t := range a.Texts {
		name, err := DocumentName(t.Name)
		if err != nil {
			return nil, err
		}
		in = append(in, runner.Text(name, t.Text))
	}
	names := files.ShortNames(a.Paths)
	for i, p := range a.Paths {
		if m.cfg.Local {
			in = append(in, localInput(p, names[i]))
			continue
		}
		real, name, err := m.inFolders(p)
		if err != nil {
			return nil, err
		}
		in = append(in, runner.Path(real).As(name))
	}
	return in, nil
}

// localInput returns the input for a URL or a path. An absolute path is given a name, because others may see the names
// of documents once the session is shared, but not where they lie.
func localInput(path, name string) runner.Input {
	switch {
	case strings.Contains(path, "://"):
		return runner.URL(path)
	case filepath.IsAbs(path):
		return runner.Path(path).As(name)
	}
	return runner.Path(path)
}

// DocumentName checks the name of a document that is part of a request. It is only a name: no file of that name is
// opened.
func DocumentName(name string) (string, error) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	bad := strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError })
	if name == "" || len(name) > 500 || bad {
		return "", badRequest(fmt.Sprintf(
			"a document name must have 1 to 500 bytes and no control characters, not %.200q", name))
	}
	return name, nil
}
