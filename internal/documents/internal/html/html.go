// Package html converts web pages to Markdown: headings, lists, tables, links, code. It reads a stream of tags and
// never builds a tree.
package html

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/net/html"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// A page with fewer letters than fewLetters is read again, including content that scripts reveal. The result is
// used if it has more than mostHidden times the letters.
const (
	fewLetters = 2000
	mostHidden = 5
)

// Convert is the converter for web pages. It reads a page several times: first for its metadata and the location of
// the main text, then for the main text, and last for the asides.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("html"); err != nil {
		return err
	}
	label := declared(src.Reader())
	_, remark := charset.Reader(src.Reader(), label)
	text := func() io.Reader { r, _ := charset.Reader(src.Reader(), label); return r }
	seen := view{}
	o, err := scan(ctx, text(), seen)
	if err == nil && o.all < fewLetters {
		shown := view{scripts: true, frames: o.frames}
		if all, failed := scan(ctx, text(), shown); failed == nil &&
			all.all > o.all*mostHidden {
			o, seen = all, shown
		}
	}
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	for _, m := range [][2]string{
		{"Title", o.title},
		{"Author", o.author},
		{"Date", o.date},
		{"Description", o.description},
		{"URL", o.canonical},
		{"Language", o.lang},
	} {
		if err := out.Meta(m[0], m[1]); err != nil {
			return err
		}
	}
	places := cuts(o.mainText(), o.asides.chosen(o.all))
	kinds := []format.PartKind{format.Main, format.Aside}
	if len(places) == 2 && places[0] == 0 && places[1] == math.MaxInt {
		kinds = kinds[:1] // a single part needs no name
	}
	some := false
	for _, kind := range kinds {
		if len(kinds) > 1 {
			if err := out.Begin(format.Part{Kind: kind}); err != nil {
				return err
			}
		}
		f := &flow{out: out}
		r := &renderer{flow: f, page: f, base: o.base, xhtml: o.xhtml, view: seen}
		if err := r.render(ctx, text(), places, kind == format.Main); err != nil {
			return err
		}
		some = some || f.some
	}
	if !some {
		return format.ErrNoText
	}
	if seen.scripts && !seen.frames {
		err = out.Note("most of the page is hidden until a script shows it, or shown without scripts, and was read")
	}
	if err == nil && remark != "" {
		err = out.Note(remark)
	}
	return err
}

// Markdown writes the complete visible text of a page, or of a book's chapter, to w. The page is UTF-8 unless its
// head declares another encoding; remark describes what was guessed.
func Markdown(ctx context.Context, page io.Reader, w io.Writer) (remark string, err error) {
	var head bytes.Buffer
	_, _ = io.CopyN(&head, page, headLen) // after an error, what was read is converted, and the next read fails
	label := declared(bytes.NewReader(head.Bytes()))
	f := &flow{out: w}
	r := &renderer{flow: f, page: f, xhtml: bytes.Contains(head.Bytes(), []byte("http://www.w3.org/1999/xhtml"))}
	text, remark := charset.Reader(io.MultiReader(&head, page), label)
	return remark, r.render(ctx, text, []int{0}, true)
}

// headLen is how many bytes of a page may declare its encoding.
const headLen = 4 << 10

// declared returns the encoding that a page declares in its XML declaration or a meta element.
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
				attrs := new(attributes).read(z, more)
				if c := attrs.get("charset"); c != "" {
					return c
				}
				if _, label, ok := strings.Cut(strings.ToLower(attrs.get("content")), "charset="); ok &&
					strings.EqualFold(attrs.get("http-equiv"), "content-type") {
					label, _, _ = strings.Cut(label, ";")
					return label
				}
			}
		}
	}
}
