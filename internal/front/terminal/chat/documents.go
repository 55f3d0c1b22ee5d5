package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
)

// context handles /context: add, text, rm, ls, or just paths.
func (t *terminal) context(ctx context.Context, args string, out sink) error {
	verb, what, _ := strings.Cut(args, " ")
	what = strings.TrimSpace(what)
	switch verb {
	case "", "ls":
		return t.docs(ctx, "", out)
	case "rm":
		return t.removeContext(ctx, what, out)
	case "text":
		if what == "" {
			return errors.New("give the text: /context text TEXT")
		}
		return t.addPaste(ctx, t.textName("text"), what, out)
	case "add":
	default:
		what = args
	}
	paths, err := named(what)
	if err != nil {
		return err
	}
	return t.add(ctx, paths, out)
}

// named returns the files, folders and web pages that a line names: the whole line if a file has that name,
// otherwise each of its words, with quotes as in a shell. If one of them does not exist, it is an error and nothing
// is added: otherwise the model would answer from less than the person thinks.
func named(line string) ([]string, error) {
	if line == "" {
		return nil, errors.New("name what to add: /context add PATH… or URL…, or /context text TEXT")
	}
	if exists(line) {
		return []string{expandHome(line)}, nil
	}
	words, err := text.Words(line)
	if err != nil {
		return nil, err
	}
	for i, word := range words {
		if isURL(word) {
			continue
		}
		if words[i] = expandHome(word); !exists(word) {
			return nil, fmt.Errorf("nothing was added: there is no file or folder %q (put a name with spaces in quotes; /context text TEXT adds a text)", word)
		}
	}
	return words, nil
}

// isURL reports whether a word is meant as a URL, even one with a scheme that cannot be fetched.
func isURL(word string) bool {
	scheme, _, ok := strings.Cut(word, "://")
	return ok && scheme != "" && !strings.ContainsAny(scheme, "/.") && !strings.ContainsAny(word, " \n")
}

// add adds files, folders and web pages. A process on this machine reads them in place; to a server, files are
// uploaded.
func (t *terminal) add(ctx context.Context, paths []string, out sink) error {
	where := t.here().where
	for i, path := range paths {
		switch url := isURL(path); {
		case url && where == atServer:
			return errors.New("only files and texts can be sent to a server, not web pages")
		case !url && where == inTerminal: // the other terminal may have another working directory
			full, err := filepath.Abs(path)
			if err != nil {
				return err
			}
			paths[i] = full
		}
	}
	return t.adds(ctx, out, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
		if at.where == atServer {
			return at.Upload(ctx, at.id, func(add func(string, io.Reader) error) error {
				names := files.ShortNames(paths)
				for i, path := range paths {
					if err := client.AddFiles(path, names[i], add); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return begins(ctx, at, session.Request{Command: "add", Args: session.ContextSpec{Paths: paths}})
	})
}

// adds adds documents by calling begin, and shows the size of the context when they have been added.
func (t *terminal) adds(
	ctx context.Context, out sink, begin func(context.Context, sessionHandle) (session.Receipt, error),
) error {
	before := t.look().documents
	if err := t.begin(ctx, begin); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Canceled
	}
	t.refresh(ctx)
	now := t.look()
	out.show(fmt.Sprintf("added %d; the context is now %s", now.documents-before, now.text))
	return nil
}

// textName returns the next free name for an unnamed text.
func (b *console) textName(kind string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pastes++
	return fmt.Sprintf("%s-%d", kind, b.pastes+b.seen.documents)
}

func (t *terminal) removeContext(ctx context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("name the document: /context rm NAME; /docs lists them")
	}
	if err := t.work(ctx, "remove-document", session.DocumentRequest{Name: name}); err != nil {
		return err
	}
	t.refresh(ctx)
	out.show("removed " + screen.Clean(name) + "; the context is now " + t.look().text)
	return nil
}

// docsShown is the usual maximum of documents listed. All changed documents are listed, before the others.
const docsShown = 100

// docs handles /docs: it lists the documents and those whose files have changed, or rereads them.
func (t *terminal) docs(ctx context.Context, args string, out sink) error {
	switch args {
	case "":
	case "reread":
		return t.reread(ctx, out)
	default:
		return errors.New("/docs lists the documents, /docs reread reads their files again")
	}
	docs, err := do[session.Documents](ctx, t, "documents", session.DocumentsRequest{})
	if err == nil && docs.Total > docsShown {
		docs, err = do[session.Documents](ctx, t, "documents", session.DocumentsRequest{Changed: true})
	}
	if err != nil {
		return err
	}
	out.show(t.docList(docs))
	t.refresh(ctx) // the number of changed files is also shown below the input
	return nil
}

// docList lists documents, one per line.
func (b *console) docList(docs session.Documents) string {
	if docs.Total == 0 {
		return "no context; add some with /context add PATH"
	}
	var lines []string
	for i, d := range docs.Documents {
		if i >= docsShown && d.State == "" {
			break
		}
		lines = append(lines, b.documentLine(d))
	}
	if more := docs.Total - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", more))
	}
	if docs.Changed > 0 {
		lines = append(lines, b.render.Wrap(
			"the context contains the text as it was read; /docs reread reads the files again", 0))
	}
	return strings.Join(lines, "\n")
}

func (b *console) documentLine(d session.Document) string {
	line := fmt.Sprintf("%10s  %s%s", units.Bytes(d.Size), screen.Line(d.Name), whatItIs(d))
	if d.State == "" {
		return b.render.Cut(line)
	}
	mark := "  " + d.State
	if !b.render.Plain() {
		line = screen.Truncate(line, b.render.Width()-len(mark))
	}
	return line + b.render.Paint(screen.Red, mark)
}

// whatItIs describes how a document came about, unless it was plain text: " (pdf, 12 pages, fetched 2026-11-22)".
func whatItIs(d session.Document) string {
	var facts []string
	if d.Kind != "" && d.Kind != "text" {
		facts = append(facts, screen.Line(d.Kind))
	}
	if d.Pages > 0 {
		facts = append(facts, units.Of(d.Pages, "page"))
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
func (t *terminal) reread(ctx context.Context, out sink) error {
	if err := t.work(ctx, "reread", nil); err != nil {
		return fmt.Errorf("reading the context again: %w", err)
	}
	t.refresh(ctx)
	out.show("files read again; the context is now " + t.look().text +
		"; variables made from the old one keep their values")
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
