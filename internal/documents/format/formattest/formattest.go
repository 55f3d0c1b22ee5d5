// Package formattest runs a converter in a test and records its output.
package formattest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Document is a converter's recorded output.
type Document struct {
	Kind    string
	Meta    map[string]string
	Text    string // includes the head and the lines that mark parts
	Parts   []Part
	Notes   []string
	Members []Member
	Skipped map[string]string // reasons by path
}

// Part is a part with its text.
type Part struct {
	format.Part
	Text string
}

// Member is a document inside the converted one.
type Member struct {
	Path     string
	Modified time.Time
	Bytes    []byte
	Err      error // error of its reader
}

// Convert converts data as a file with the given name. On an error, the document has all output up to it.
func Convert(ctx context.Context, convert format.Converter, name string, data []byte) (Document, error) {
	r := &recorder{doc: Document{Meta: map[string]string{}, Skipped: map[string]string{}}}
	err := convert(ctx, format.Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))}, r)
	r.end()
	r.doc.Text = strings.ToValidUTF8(r.text.String(), "\uFFFD")
	return r.doc, err
}

type recorder struct {
	doc   Document
	text  bytes.Buffer
	begun int // offset of the current part
}

func (r *recorder) Kind(kind string) error { r.doc.Kind = kind; return nil }

func (r *recorder) Meta(name, value string) error {
	if r.text.Len() > 0 && len(r.doc.Meta) == 0 || len(r.doc.Parts) > 0 {
		panic("Meta after text")
	}
	if line := format.MetaLine(name, value); line != "" {
		r.doc.Meta[name] = format.OneLine(value)
		r.text.WriteString(line)
	}
	return nil
}

func (r *recorder) end() {
	if n := len(r.doc.Parts); n > 0 {
		r.doc.Parts[n-1].Text = strings.ToValidUTF8(string(r.text.Bytes()[r.begun:]), "\uFFFD")
	}
}

func (r *recorder) Begin(p format.Part) error {
	r.end()
	if n := r.text.Len(); n > 0 {
		if r.text.Bytes()[n-1] != '\n' {
			r.text.WriteByte('\n')
		}
		r.text.WriteByte('\n')
	}
	r.text.WriteString(p.Mark())
	r.begun = r.text.Len()
	r.doc.Parts = append(r.doc.Parts, Part{Part: p})
	return nil
}

func (r *recorder) Write(p []byte) (int, error) {
	if n := len(r.doc.Meta); n > 0 && len(r.doc.Parts) == 0 && r.begun == 0 {
		r.text.WriteByte('\n') // an empty line ends the head
		r.begun = r.text.Len()
	}
	return r.text.Write(p)
}

func (r *recorder) Note(text string) error {
	r.doc.Notes = append(r.doc.Notes, text)
	return nil
}

func (r *recorder) Member(path string, modified time.Time, data io.Reader) error {
	b, err := io.ReadAll(data)
	r.doc.Members = append(r.doc.Members, Member{path, modified, b, err})
	return nil
}

func (r *recorder) Skip(path, reason string) error {
	r.doc.Skipped[path] = reason
	return nil
}
