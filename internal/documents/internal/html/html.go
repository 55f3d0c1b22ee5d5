// Package html turns web pages into Markdown: headings, lists, tables, links, code. It reads them as a stream of tags, never as a tree.
package html

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// Convert is the converter of pages. It reads them twice: first for their title and for where the main text stands.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("html"); err != nil {
		return err
	}
	label := declared(src.Reader())
	o, err := scan(ctx, charset.Reader(src.Reader(), label))
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	for _, m := range [][2]string{
		{"Title", o.title}, {"Author", o.author}, {"Date", o.date}, {"Description", o.description}, {"URL", o.canonical}, {"Language", o.lang},
	} {
		if err := out.Meta(m[0], m[1]); err != nil {
			return err
		}
	}
	f := &flow{out: out}
	r := &renderer{flow: f, page: f, base: o.base, mainOnly: o.mainText(), xhtml: o.xhtml}
	if err := r.render(ctx, charset.Reader(src.Reader(), label)); err != nil {
		return err
	}
	if !f.some {
		return format.ErrNoText
	}
	if r.mainOnly != nil {
		return out.Note("only the main text of the page is read, not the frame around it")
	}
	return nil
}

// Markdown writes the text of a page, or of a chapter of a book, as Markdown to w, all of it but what is hidden. The page is UTF-8, or says in
// its head what it is.
func Markdown(ctx context.Context, page io.Reader, w io.Writer) error {
	var head bytes.Buffer
	if _, err := io.CopyN(&head, page, headLen); err != nil && err != io.EOF {
		return err
	}
	label := declared(bytes.NewReader(head.Bytes()))
	f := &flow{out: w}
	r := &renderer{flow: f, page: f, xhtml: bytes.Contains(head.Bytes(), []byte("http://www.w3.org/1999/xhtml"))}
	return r.render(ctx, charset.Reader(io.MultiReader(&head, page), label))
}

// headLen is where a page says its encoding.
const headLen = 4 << 10

// declared is the encoding that a page says it has, in an XML declaration or a meta element.
func declared(page io.Reader) string {
	head, _ := io.ReadAll(io.LimitReader(page, headLen))
	if bytes.HasPrefix(head, []byte("<?xml")) {
		if _, rest, ok := strings.Cut(string(head[:min(len(head), 200)]), "encoding="); ok && len(rest) > 2 {
			if label, _, ok := strings.Cut(rest[1:], rest[:1]); ok {
				return label
			}
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, more := z.TagName(); string(name) == "meta" {
				attrs := readAttributes(z, more)
				if c := attrs["charset"]; c != "" {
					return c
				}
				if _, label, ok := strings.Cut(strings.ToLower(attrs["content"]), "charset="); ok && strings.EqualFold(attrs["http-equiv"], "content-type") {
					label, _, _ = strings.Cut(label, ";")
					return label
				}
			}
		}
	}
}
