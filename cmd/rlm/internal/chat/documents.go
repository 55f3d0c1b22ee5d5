package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
)

// parseContext takes what is typed behind /context apart: ls, or add or rm with what is meant. What begins with none of them is to be added.
func parseContext(args string) (verb, what string) {
	verb, what, _ = strings.Cut(args, " ")
	switch verb {
	case "":
		return "ls", ""
	case "ls", "add", "rm":
		return verb, strings.TrimSpace(what)
	}
	return "add", args
}

// context is /context: add, rm, ls, or a path alone.
func (c *core) context(ctx context.Context, args string, out sink) error {
	switch verb, what := parseContext(args); verb {
	case "add":
		return c.addContext(ctx, what, out)
	case "rm":
		return c.removeContext(ctx, what, out)
	}
	return c.docs(ctx, "", out)
}

// pathOf is the file or folder that what is to be added names; empty if it is the text itself.
func pathOf(what string) (string, error) {
	path := expandHome(what)
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return path, nil
	case !strings.ContainsAny(what, " \n"):
		return "", fmt.Errorf("adding %s: %w", what, err) // one word is meant as a path
	}
	return "", nil
}

// isURL reports whether a word is meant as a URL, also of a kind that is not fetched.
func isURL(word string) bool {
	scheme, _, ok := strings.Cut(word, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, "/.") && !strings.ContainsAny(word, " \n")
}

// addContext adds a file, a folder, a page of the web, or, if what is named is none of them, the text itself.
func (c *core) addContext(ctx context.Context, what string, out sink) error {
	if what == "" {
		return errors.New("say what to add: /context add PATH or URL, or /context add followed by text")
	}
	if isURL(what) {
		return c.add(ctx, runner.URL(what), out)
	}
	switch path, err := pathOf(what); {
	case err != nil:
		return err
	case path != "":
		return c.add(ctx, runner.Path(path), out)
	}
	return c.addPaste(ctx, c.textName("text"), what, out)
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
func (b *board) textName(kind string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pastes++
	return fmt.Sprintf("%s-%d", kind, b.pastes+len(b.seen.known.docs))
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

// docsShown is how many documents are listed. Those whose files changed are listed first and always.
const docsShown = 100

// docs is /docs: the documents and what became of their files, or read them again.
func (c *core) docs(ctx context.Context, args string, out sink) error {
	switch args {
	case "":
	case "reread":
		return c.reread(ctx, out)
	default:
		return errors.New("/docs lists the documents, /docs reread reads their files again")
	}
	out.show(c.docList(c.current().Documents()))
	return nil
}

// docList is a line for each document.
func (b *board) docList(docs []runner.Document) string {
	if len(docs) == 0 {
		return "no context; add some with /context add PATH"
	}
	changed := 0
	for _, d := range docs {
		if d.State != runner.DocumentSame {
			changed++
		}
	}
	if len(docs) > docsShown {
		slices.SortStableFunc(docs, func(a, b runner.Document) int { return cmp.Compare(unchanged(a), unchanged(b)) })
	}
	var lines []string
	for i, d := range docs {
		if i >= docsShown && d.State == runner.DocumentSame {
			lines = append(lines, fmt.Sprintf("… %d more", len(docs)-i))
			break
		}
		lines = append(lines, b.documentLine(d))
	}
	if changed > 0 {
		lines = append(lines, b.render.wrap("the context has the text as it was read; /docs reread reads the files again", 0))
	}
	return strings.Join(lines, "\n")
}

// unchanged sorts documents whose files changed before the others.
func unchanged(d runner.Document) int {
	if d.State == runner.DocumentSame {
		return 1
	}
	return 0
}

func (b *board) documentLine(d runner.Document) string {
	line := fmt.Sprintf("%10s  %s%s", quantity.Bytes(d.Size), screen.Line(d.Name), whatItIs(d))
	if d.State == runner.DocumentSame {
		return b.render.cut(line)
	}
	mark := "  " + string(d.State)
	if !b.render.plain {
		line = truncate(line, max(b.render.cells()-len(mark), widthLeast))
	}
	return line + b.render.paint(red, mark)
}

// whatItIs is what a document was and when it came, where there is something to say: " (pdf, 12 pages, fetched 2026-11-22)".
func whatItIs(d runner.Document) string {
	var facts []string
	if d.Kind != "" && d.Kind != "text" {
		facts = append(facts, screen.Line(d.Kind))
	}
	if d.Pages > 0 {
		facts = append(facts, quantity.Of(d.Pages, "page"))
	}
	if !d.Fetched.IsZero() {
		facts = append(facts, "fetched "+d.Fetched.Local().Format("2006-01-02 15:04"))
	}
	if len(facts) == 0 {
		return ""
	}
	return " (" + strings.Join(facts, ", ") + ")"
}

// reread reads the files of the context again.
func (c *core) reread(ctx context.Context, out sink) error {
	s := c.current()
	if err := c.watch(out, isContextAdded, func() error { return s.Reread(ctx) }); err != nil {
		return fmt.Errorf("reading the context again: %w", err)
	}
	out.show("read again; the context is now " + contextText(s) + "; variables that were made from the old one are as they were")
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
