package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/session"
)

// mention is a file, a folder or a page that a question names: @logs/app.log, @https://example.com/, or @"my
// notes.txt" with blanks in it.
type mention struct {
	text string // as written in the question
	path string
}

var mentioned = startup.Regexp(`(?:^|[\s(\[{,;])@("[^"\n]+"|[^\s"@][^\s"]*)`)

// looksLikeFile matches names behind an @ that can only mean a file: they contain a slash or end in an extension.
var looksLikeFile = startup.Regexp(`^[.~]?/|^\.\./|/|\.[\pL\pN]{1,8}$`)

// mentions returns what a question asks to attach. A name that looks like a file but does not exist is an error:
// the person would pay for a question about a file that the model does not get.
func mentions(question string) ([]mention, error) {
	var found []mention
	for _, m := range mentioned().FindAllStringSubmatch(question, -1) {
		name := m[1]
		if quoted := strings.Trim(name, `"`); quoted != name {
			name = quoted
		} else if !exists(name) {
			name = strings.TrimRight(name, ".,;:!?)]}'")
		}
		switch {
		case name == "":
		case isURL(name):
			found = append(found, mention{"@" + m[1], name})
		case exists(name):
			found = append(found, mention{"@" + m[1], name})
		case looksLikeFile().MatchString(name):
			return nil, fmt.Errorf("the question was not sent (without the @, the name is plain text): there is no file or folder %s%s", name, screen.PathMeant(expandHome(name)))
		}
	}
	return found, nil
}

func exists(path string) bool {
	_, err := os.Stat(expandHome(path))
	return err == nil
}

// attach adds the files and pages that a question mentions to the context, each once.
func (t *terminal) attach(ctx context.Context, question string, out sink) error {
	found, err := mentions(question)
	if err != nil {
		return err
	}
	for _, m := range found {
		path := m.path
		full := path
		if !isURL(path) {
			path = expandHome(path)
			if full, err = filepath.Abs(path); err != nil {
				full = path
			}
		}
		if t.attached[full] || t.hasDocument(ctx, m.path, full) {
			continue
		}
		if err := t.add(ctx, []string{path}, out); err != nil {
			return fmt.Errorf("attaching %s: %w; the question was not sent", m.text, err)
		}
		t.attached[full] = true
	}
	return nil
}

// hasDocument reports whether the context already has a document from this file, or with this name if the document's
// file is not known. Paths of a server are those of another machine.
func (t *terminal) hasDocument(ctx context.Context, name, path string) bool {
	clean, here := filepath.ToSlash(filepath.Clean(name)), t.here().where != atServer
	docs, err := do[session.Documents](ctx, t, "documents", session.DocumentsRequest{Query: filepath.Base(name)})
	return err == nil && slices.ContainsFunc(docs.Documents, func(d session.Document) bool {
		if here && d.Path != "" {
			return d.Path == path
		}
		return d.Name == name || d.Name == clean
	})
}
