package export

import (
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Writer writes a run for other readers.
type Writer func(w io.Writer, events iter.Seq2[trajectory.Event, error]) error

// Formats are the writers by the names of their formats.
func Formats() map[string]Writer {
	return map[string]Writer{"html": HTML, "ipynb": Notebook, "markdown": Markdown, "rlm-jsonl": Visualizer}
}

// FormatOf is the format that the name of a file asks for, "" if it asks for none.
func FormatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".md", ".markdown":
		return "markdown"
	case ".html", ".htm":
		return "html"
	case ".ipynb":
		return "ipynb"
	case ".jsonl":
		return "rlm-jsonl"
	}
	return ""
}
