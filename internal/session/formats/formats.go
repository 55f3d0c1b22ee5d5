package export

import (
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Writer writes a run in a format.
type Writer func(w io.Writer, events iter.Seq2[trajectory.Event, error]) error

type format struct {
	name    string
	write   Writer
	endings []string // file name extensions, the usual one first
}

func formats() []format {
	return []format{
		{"html", HTML, []string{".html", ".htm"}},
		{"ipynb", Notebook, []string{".ipynb"}},
		{"markdown", Markdown, []string{".md", ".markdown"}},
		{"rlm-jsonl", Visualizer, []string{".jsonl"}},
	}
}

// Formats returns the writers by the names of their formats.
func Formats() map[string]Writer {
	all := map[string]Writer{}
	for _, f := range formats() {
		all[f.name] = f.write
	}
	return all
}

// FormatOf is the format for a file name, by its extension; "" if there is none.
func FormatOf(file string) string {
	for _, f := range formats() {
		if slices.Contains(f.endings, strings.ToLower(filepath.Ext(file))) {
			return f.name
		}
	}
	return ""
}

// Ending is the usual file name extension of a format, such as ".md"; "" if there is no such format.
func Ending(name string) string {
	for _, f := range formats() {
		if f.name == name {
			return f.endings[0]
		}
	}
	return ""
}
