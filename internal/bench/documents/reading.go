package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/testing/likeness"
)

// reading is what one program reads in a document.
type reading struct {
	by     string
	pages  [][]string      // the words of each page of a PDF; one page for other formats
	rows   [][][]string    // for each page of a reference, the numbers in its table rows
	drawn  bool            // words are in the order in which the pages are drawn
	lines  *likeness.Lines // lines of the project's text
	text   string          // the project's text of a web page
	beside string          // what the project keeps beside that text
}

// sheets are the formats whose cells are compared.
var sheets = map[string]bool{"xlsx": true, "ods": true}

// own converts a document with the project's pool. kind is the detected format, "" for plain text; why is the
// reason why some or all of the text is missing.
func (l *lab) own(ctx context.Context, path string) (r reading, kind, why string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return r, "", "", fmt.Errorf("open a file to compare: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return r, "", "", fmt.Errorf("open a file to compare: %w", err)
	}
	job := documents.Job{Name: filepath.Base(path), Bytes: f, Size: info.Size()}
	err = l.pool.Convert(ctx, job, func(d documents.Document) error {
		if documents.Member(job.Name, d.Name) != "" {
			return nil // members of archives are measured only if the folders contain them as files
		}
		kind, why = d.Kind, d.Why
		if d.Raw || d.Text == nil {
			return nil
		}
		text, err := io.ReadAll(d.Text)
		if err != nil {
			return err
		}
		r = ownReading(string(text), d)
		return nil
	})
	return r, kind, why, err
}

// ownReading reads a document's text without its metadata and the lines that mark its parts, which no other
// program writes.
func ownReading(text string, d documents.Document) reading {
	r := reading{lines: likeness.NewLines()}
	before := text
	if len(d.Parts) > 0 {
		before, _, _ = strings.Cut(text[:d.Parts[0].Offset], d.Parts[0].Mark())
	}
	pieces := []string{withoutHead(before, len(d.Parts) > 0 || d.Why != "")}
	r.text = pieces[0]
	for _, p := range d.Parts {
		piece := text[p.Offset : p.Offset+p.Size]
		if p.Kind == format.Page {
			for len(pieces) < p.Number {
				pieces = append(pieces, "")
			}
			pieces[p.Number-1] += "\n" + piece
			continue
		}
		switch p.Kind {
		case format.Main:
			r.text += piece
		case format.Aside:
			r.beside += piece
		}
		pieces = append(pieces, piece)
	}
	for _, piece := range pieces {
		var words []string
		if sheets[d.Kind] {
			for _, row := range likeness.Cells(piece) {
				r.lines.Add(row)
				words = append(words, row...)
			}
		} else {
			words = likeness.Words(piece)
			for line := range strings.Lines(piece) {
				r.lines.Add(likeness.Words(line))
			}
		}
		if d.Kind == "pdf" || len(r.pages) == 0 {
			r.pages = append(r.pages, words)
		} else {
			r.pages[0] = append(r.pages[0], words...)
		}
	}
	return r
}

// withoutHead removes metadata: lines such as "Title: …", with one word before the colon, up to an empty line.
// With whole, the entire text may be metadata, as before the first part or in a document without text.
func withoutHead(text string, whole bool) string {
	head, rest, found := strings.Cut(text, "\n\n")
	if !found && !whole {
		return text
	}
	for line := range strings.Lines(head) {
		if name, _, isMeta := strings.Cut(line, ": "); !isMeta || strings.ContainsAny(name, " []") {
			return text
		}
	}
	return rest
}

// kindOf is a document's format; if its converter gave up, the file extension.
func kindOf(kind, path string) string {
	return cmp.Or(kind, strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")), "no extension")
}
