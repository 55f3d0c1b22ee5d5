package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
)

// context is /context: add, rm, ls, or a path alone.
func (c *core) context(ctx context.Context, args string, out sink) error {
	verb, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "", "ls":
		return c.docs(ctx, "", out)
	case "add":
		return c.addContext(ctx, rest, out)
	case "rm":
		return c.removeContext(ctx, rest, out)
	default:
		return c.addContext(ctx, args, out)
	}
}

// addContext adds a file, a folder, or, if what is named is no path, the text itself.
func (c *core) addContext(ctx context.Context, what string, out sink) error {
	if what == "" {
		return errors.New("say what to add: /context add PATH, or /context add followed by text")
	}
	if strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://") {
		return errors.New("addresses are not fetched: save the page to a file and add that")
	}
	path := expandHome(what)
	_, err := os.Stat(path)
	input := runner.Path(path)
	switch {
	case err == nil:
	case !strings.ContainsAny(what, " \n"):
		return fmt.Errorf("adding %s: %w", what, err) // one word is meant as a path
	default:
		input = runner.Text(c.textName("text"), what)
	}
	return c.add(ctx, input, out)
}

func (c *core) add(ctx context.Context, input runner.Input, out sink) error {
	s := c.current()
	before := len(s.Documents())
	if err := c.watch(out, isContextAdded, func() error { return s.AddContext(ctx, input) }); err != nil {
		return err
	}
	out.show(fmt.Sprintf("added %d; the context is now %s", len(s.Documents())-before, contextText(s)))
	return nil
}

// addPaste makes a document of a long pasted text.
func (c *core) addPaste(ctx context.Context, name, text string, out sink) error {
	return c.add(ctx, runner.Text(name, text), out)
}

// textName is the next free name for a text that has none.
func (c *core) textName(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pastes++
	return fmt.Sprintf("%s-%d", kind, c.pastes+len(c.seen.known.docs))
}

func (c *core) removeContext(ctx context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("say which document: /context rm NAME; /docs lists them")
	}
	s := c.current()
	if err := s.RemoveContext(ctx, name); err != nil {
		return err
	}
	out.show("removed " + screen.Clean(name) + "; the context is now " + contextText(s))
	return nil
}

// docsShown is how many documents are listed.
const docsShown = 100

func (c *core) docs(_ context.Context, _ string, out sink) error {
	docs := c.current().Documents()
	if len(docs) == 0 {
		out.show("no context; add some with /context add PATH")
		return nil
	}
	var lines []string
	for i, d := range docs {
		if i == docsShown {
			lines = append(lines, fmt.Sprintf("… %d more", len(docs)-docsShown))
			break
		}
		lines = append(lines, c.render.line(fmt.Sprintf("%10s  %s", quantity.Bytes(d.Size), d.Name)))
	}
	out.show(strings.Join(lines, "\n"))
	return nil
}

func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}
