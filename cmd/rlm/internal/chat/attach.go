package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
	"github.com/gorlm/rlm/runner"
)

// mention is a file, a folder or a page that a question names: @logs/app.log, @https://example.com/, or @"my notes.txt" with blanks in it.
type mention struct {
	text string // as it stands in the question
	path string
}

var mentioned = lazy.Regexp(`(?:^|[\s(\[{,;])@("[^"\n]+"|[^\s"@][^\s"]*)`)

// looksLikeFile tells the name of a file from another thing that people write behind an @: it names a folder or ends
// in an extension.
var looksLikeFile = lazy.Regexp(`^[.~]?/|^\.\./|/|\.[\pL\pN]{1,8}$`)

// mentions finds what a question wants attached. One that reads like a file and is none is an error: a question about
// a file that the model does not have is paid for in vain.
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
			return nil, fmt.Errorf("@%s: there is no such file or folder, so the question is not sent; without the @ it is plain text", name)
		}
	}
	return found, nil
}

func exists(path string) bool {
	_, err := os.Stat(expandHome(path))
	return err == nil
}

// attach adds the files that a question mentions to the context, each once.
func (c *core) attach(ctx context.Context, question string, out sink) error {
	found, err := mentions(question)
	if err != nil {
		return err
	}
	for _, m := range found {
		if isURL(m.path) {
			if err := c.attachURL(ctx, m, out); err != nil {
				return err
			}
			continue
		}
		path := expandHome(m.path)
		full, err := filepath.Abs(path)
		if err != nil {
			full = path
		}
		if c.attached[full] || c.hasDocument(m.path) {
			continue
		}
		if err := c.add(ctx, runner.Path(path), out); err != nil {
			return fmt.Errorf("attaching %s: %w; the question is not sent", m.text, err)
		}
		c.attached[full] = true
	}
	return nil
}

func (c *core) attachURL(ctx context.Context, m mention, out sink) error {
	if c.attached[m.path] || c.hasDocument(m.path) {
		return nil
	}
	if err := c.add(ctx, runner.URL(m.path), out); err != nil {
		return fmt.Errorf("attaching %s: %w; the question is not sent", m.text, err)
	}
	c.attached[m.path] = true
	return nil
}

// hasDocument reports whether the context has a document of that name already.
func (c *core) hasDocument(name string) bool {
	return slices.ContainsFunc(c.current().Documents(), func(d runner.Document) bool {
		return d.Name == name || d.Name == filepath.ToSlash(filepath.Clean(name))
	})
}
