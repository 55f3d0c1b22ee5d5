// Package formats lists the formats in which sessions are exported.
package formats

import (
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// Writer writes a run in a format.
type Writer func(w io.Writer, events iter.Seq2[trajectory.Event, error]) error

type format struct {
	name    string
	write   Writer
	endings []string // file name extensions, the usual one first
}

func list() []format {
	return []format{
		{"html", export.HTML, []string{".html", ".htm"}},
		{"ipynb", export.Notebook, []string{".ipynb"}},
		{"markdown", export.Markdown, []string{".md", ".markdown"}},
		{"rlm-jsonl", export.Visualizer, []string{".jsonl"}},
	}
}

// All returns the writers by the names of their formats. What they write is passed on, so it does not tell where files
// lie.
func All() map[string]Writer {
	all := map[string]Writer{}
	for _, f := range list() {
		all[f.name] = func(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
			return f.write(w, func(yield func(trajectory.Event, error) bool) {
				for ev, err := range events {
					if !yield(WithoutFolders(ev), err) {
						return
					}
				}
			})
		}
	}
	return all
}

// WithoutFolders returns an event without what tells where files lie.
func WithoutFolders(ev trajectory.Event) trajectory.Event {
	if d, ok := ev.Data.(trajectory.ContextAdded); ok {
		d.Absolute, d.Files = nil, trajectory.Text{}
		ev.Data = d
	}
	return ev
}

// Of returns the format for a file name, by its extension; "" if there is none.
func Of(file string) string {
	for _, f := range list() {
		if slices.Contains(f.endings, strings.ToLower(filepath.Ext(file))) {
			return f.name
		}
	}
	return ""
}

// Ending returns the usual file name extension of a format, such as ".md"; "" if there is no such format.
func Ending(name string) string {
	for _, f := range list() {
		if f.name == name {
			return f.endings[0]
		}
	}
	return ""
}
