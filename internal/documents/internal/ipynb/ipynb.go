// Package ipynb converts Jupyter notebooks: their cells and the cells' outputs.
package ipynb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/html"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// lines is text, which notebooks store as a string or as a list of strings.
type lines string

func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	if json.Unmarshal(b, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	var s string
	_ = json.Unmarshal(b, &s) // any other value counts as no text
	*l = lines(s)
	return nil
}

type cell struct {
	Type     string   `json:"cell_type"`
	Source   lines    `json:"source"`
	Input    lines    `json:"input"` // the source in version 3
	Language string   `json:"language"`
	Level    int      `json:"level"` // level of a heading in version 3
	Outputs  []output `json:"outputs"`
}

type output struct {
	Type      string                     `json:"output_type"`
	Text      lines                      `json:"text"`
	Data      map[string]json.RawMessage `json:"data"`
	Name      string                     `json:"ename"`
	Value     string                     `json:"evalue"`
	Traceback []string                   `json:"traceback"`
	// Version 3 has these fields instead of data.
	HTML  lines `json:"html"`
	LaTeX lines `json:"latex"`
	PNG   lines `json:"png"`
	JPEG  lines `json:"jpeg"`
	SVG   lines `json:"svg"`
}

type metadata struct {
	Title   string                  `json:"title"`
	Authors []struct{ Name string } `json:"authors"`
	Kernel  struct {
		Name     string `json:"display_name"`
		Language string `json:"language"`
	} `json:"kernelspec"`
	Language struct {
		Name string `json:"name"`
	} `json:"language_info"`
}

// Convert is the converter for notebooks in versions 3 and 4. It has only one cell in memory at a time.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("ipynb"); err != nil {
		return err
	}
	// The metadata may be before or after the cells.
	var meta metadata
	_ = walk(ctx, decoding.Reader(src.Reader()), func(name string, dec *json.Decoder) error {
		if name != "metadata" {
			return skip(dec)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		_ = json.Unmarshal(raw, &meta) // fields of unexpected types stay empty
		return nil
	})
	if meta.Language.Name == "" {
		meta.Language.Name = meta.Kernel.Language
	}
	var authors []string
	for _, a := range meta.Authors {
		authors = append(authors, a.Name)
	}
	for _, m := range [][2]string{
		{"Title", meta.Title},
		{"Author", strings.Join(authors, ", ")},
		{"Kernel", meta.Kernel.Name},
		{"Language", meta.Language.Name},
	} {
		if err := out.Meta(m[0], m[1]); err != nil {
			return err
		}
	}
	r := &reader{ctx: ctx, out: out, language: meta.Language.Name}
	err := walk(ctx, decoding.Reader(src.Reader()), r.member)
	switch {
	case r.err != nil:
		return r.err
	case err != nil:
		return err
	case r.cells == 0:
		return format.ErrNoText
	}
	return nil
}

// walk calls f for each member of the outermost object; f must read its value.
func walk(ctx context.Context, in io.Reader, f func(name string, dec *json.Decoder) error) error {
	dec := json.NewDecoder(in)
	err := func() error {
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			return errors.Join(err, errors.New("it is not an object"))
		}
		for dec.More() {
			t, err := dec.Token()
			if err != nil {
				return err
			}
			name, _ := t.(string)
			if err := f(name, dec); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		_, err := dec.Token()
		return err
	}()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the notebook is cut off")
	case err != nil:
		return fmt.Errorf("the notebook is damaged: %w", err)
	}
	return nil
}

// skip reads and discards a value, element by element if it is a list.
func skip(dec *json.Decoder) error {
	return each(dec, func() error {
		var raw json.RawMessage
		return dec.Decode(&raw)
	})
}

// each calls f before each element of a list, or once for any other value.
func each(dec *json.Decoder, f func() error) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		for dec.More() {
			if err := f(); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	case json.Delim('{'):
		for dec.More() {
			if _, err = dec.Token(); err != nil {
				return err
			}
			var raw json.RawMessage
			if err = dec.Decode(&raw); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	}
	return err
}

type reader struct {
	ctx      context.Context
	out      format.Output
	language string
	cells    int
	err      error // first error of out
}

func (r *reader) member(name string, dec *json.Decoder) error {
	switch name {
	case "cells":
		return each(dec, func() error { return r.cell(dec) })
	case "worksheets": // version 3
		return each(dec, func() error {
			var sheet struct {
				Cells []json.RawMessage `json:"cells"`
			}
			if err := dec.Decode(&sheet); err != nil {
				return err
			}
			for _, raw := range sheet.Cells {
				if err := r.cell(json.NewDecoder(bytes.NewReader(raw))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return skip(dec)
}

func (r *reader) cell(dec *json.Decoder) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var c cell
	if err := dec.Decode(&c); err != nil {
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			return err
		}
	}
	r.cells++
	r.err = r.write(c)
	return r.err
}

func (r *reader) write(c cell) error {
	source := string(c.Source + c.Input)
	name, code := c.Type, c.Type == "code"
	if code {
		name = c.Language
		if name == "" {
			name = r.language
		}
		if name == "" {
			name = "code"
		}
		source = markdown.Fence(source, name)
	} else if c.Type == "heading" {
		name, source = "markdown", strings.Repeat("#", min(max(c.Level, 1), 6))+" "+source
	}
	if err := r.out.Begin(format.Part{Kind: format.Cell, Number: r.cells, Name: name}); err != nil {
		return err
	}
	text := endLine(source)
	if _, err := io.WriteString(r.out, text); err != nil {
		return err
	}
	printed := ""
	for i, o := range c.Outputs {
		s, plain := r.output(o)
		if plain {
			// A program that prints in pieces produces several outputs.
			printed += s
			if i+1 < len(c.Outputs) && c.Outputs[i+1].Type == "stream" {
				continue
			}
			s, printed = printed, ""
			if strings.TrimSpace(s) == "" {
				continue
			}
			s = markdown.Fence(ansi.Strip(s), "")
		}
		if strings.TrimSpace(s) == "" {
			continue
		}
		if _, err := io.WriteString(r.out, "\nOutput:\n\n"+endLine(s)); err != nil {
			return err
		}
	}
	return nil
}

// output returns the text of an output; plain is text as shown in a terminal.
func (r *reader) output(o output) (text string, plain bool) {
	switch o.Type {
	case "error", "pyerr":
		if len(o.Traceback) > 0 {
			return strings.Join(o.Traceback, "\n"), true
		}
		return o.Name + ": " + o.Value, true
	case "stream":
		return string(o.Text), true
	}
	get := func(media string) string {
		var l lines
		if raw, ok := o.Data[media]; ok {
			_ = l.UnmarshalJSON(raw)
		}
		return string(l)
	}
	switch {
	case get("text/markdown") != "":
		return get("text/markdown"), false
	case get("text/plain") != "" && !bare(get("text/plain")):
		return get("text/plain"), true
	case o.Text != "" && !bare(string(o.Text)):
		return string(o.Text), true
	case get("text/html") != "":
		return r.page(get("text/html")), false
	case o.HTML != "":
		return r.page(string(o.HTML)), false
	case get("text/latex") != "":
		return get("text/latex"), false
	case o.LaTeX != "":
		return string(o.LaTeX), false
	case len(o.Data["application/json"]) > 0:
		return string(o.Data["application/json"]), true
	}
	var images []string
	for media := range o.Data {
		if !strings.HasPrefix(media, "text/") {
			images = append(images, media)
		}
	}
	slices.Sort(images)
	for media, l := range map[string]lines{"image/png": o.PNG, "image/jpeg": o.JPEG, "image/svg+xml": o.SVG} {
		if l != "" {
			images = append(images, media)
		}
	}
	if len(images) == 0 {
		return get("text/plain") + string(o.Text), true
	}
	return "(" + strings.Join(images, ", ") + ") " + get("text/plain") + string(o.Text), false
}

// bare reports whether a text only names an object that is also shown otherwise: "<Figure size 640x480 with 1
// Axes>".
func bare(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && !strings.Contains(s, "\n")
}

func (r *reader) page(s string) string {
	var b strings.Builder
	// for broken HTML, the text up to the error is enough
	_, _ = html.Markdown(r.ctx, strings.NewReader("\xEF\xBB\xBF"+s), &b)
	return b.String()
}

func endLine(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}
