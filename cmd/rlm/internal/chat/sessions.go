package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/outfile"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

func (c *core) fork(ctx context.Context, _ string, out sink) error {
	fork, err := c.current().Fork(ctx)
	if err != nil {
		return err
	}
	return c.change(fork, "this is now session "+fork.ID()+", a copy", out)
}

func (c *core) open(ctx context.Context, id string, out sink) error {
	if id == "" {
		return errors.New("say which session: /open ID; /sessions lists them")
	}
	if strings.HasPrefix(c.current().ID(), id) {
		return errors.New("that is this session")
	}
	s, err := c.opt.Runner.OpenSession(ctx, id)
	if err != nil {
		return err
	}
	if err := c.change(s, "this is now session "+s.ID(), out); err != nil {
		return err
	}
	c.showNews(out)
	asked, err := c.exchanges()
	if err == nil && len(asked) > 0 {
		c.remind(asked[len(asked)-1], out)
	}
	return err
}

// change goes on with another session and closes the one there was.
func (c *core) change(s *runner.Session, say string, out sink) error {
	c.mu.Lock()
	old := c.session
	c.session, c.told = s, 0
	c.mu.Unlock()
	c.attached = map[string]bool{}
	out.show(say)
	return old.Close()
}

// sessionsShown is how many sessions are listed, the latest first.
const sessionsShown = 20

func (c *core) sessions(_ context.Context, _ string, out sink) error {
	all, err := trajectory.List(c.opt.Runner.RunsDir())
	if err != nil {
		return fmt.Errorf("listing the sessions: %w", err)
	}
	out.show(c.sessionList(all, len(all)))
	return nil
}

// sessionList is a line for each of the latest of total sessions.
func (b *board) sessionList(all []trajectory.Summary, total int) string {
	var lines []string
	for i, s := range all {
		if i == sessionsShown {
			break
		}
		name := s.Question
		if s.Name != "" {
			name = s.Name + ": " + name
		}
		line := fmt.Sprintf("%s  %s  %-18s %s", s.ID, s.Started.Local().Format("2006-01-02 15:04"), s.Status, strings.Join(strings.Fields(name), " "))
		lines = append(lines, b.render.line(line))
	}
	if total > sessionsShown {
		lines = append(lines, fmt.Sprintf("… %d more: rlm ls", total-sessionsShown))
	}
	return strings.Join(lines, "\n")
}

// sessionIDs are the ids that /open can take, the latest first.
func (c *core) sessionIDs() []string {
	all, err := trajectory.List(c.opt.Runner.RunsDir())
	if err != nil {
		return nil // there is nothing to offer
	}
	var ids []string
	for _, s := range all {
		if s.ID != c.current().ID() {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (c *core) rename(_ context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("say the name: /rename NAME")
	}
	if err := c.current().Rename(name); err != nil {
		return err
	}
	out.show("named " + screen.Clean(name))
	return nil
}

func (c *core) save(_ context.Context, _ string, out sink) error {
	s := c.current()
	out.show("kept as it happens in " + s.Dir() + "\ngo on with: rlm open " + s.ID())
	return nil
}

func (c *core) export(_ context.Context, path string, out sink) error {
	return exported(path, out, func(w io.Writer, format string) error {
		return export.Formats()[format](w, trajectory.Read(c.current().Dir()))
	})
}

// exported makes a file of what write writes in the format that the file's name asks for.
func exported(path string, out sink, write func(w io.Writer, format string) error) error {
	format := export.FormatOf(path)
	if format == "" {
		return errors.New("name a file that ends in .md (a transcript), .html (a page), .ipynb (a Jupyter notebook) or .jsonl (the log format of the original RLM): /export FILE.md")
	}
	file := expandHome(path)
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists; name another file", path)
	}
	err := outfile.Write(file, func(w io.Writer) error { return write(w, format) })
	if err != nil {
		return fmt.Errorf("exporting: %w", err)
	}
	out.show("written to " + path)
	return nil
}
