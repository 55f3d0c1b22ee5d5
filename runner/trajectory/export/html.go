package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"iter"
	"strings"

	"github.com/yuin/goldmark"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// The page of rlm serve as a reader without a server, as built by internal/front/web.
var (
	//go:embed reader/reader.js
	readerScript string
	//go:embed reader/style.css
	readerStyle string
)

// HTML writes a run as one file with the read-only reader of rlm serve and all events. It loads nothing, and no
// content of the run can act: the page's policy admits only the reader's script. In very long runs the texts of
// sub-calls are cut first, so that the file stays near 20 MB, with a note. Where scripts do not run, as in a mail
// preview, the run appears as in Markdown.
func HTML(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
	p := htmlPage{printer: printer{w: w}, room: textRoom, detailRoom: textRoom}
	p.print(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="` + policy() + `">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>A run of rlm</title>
<style>` + readerStyle + `</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="session">{"events":[`)
	if err := p.events(events); err != nil {
		return err
	}
	var plain bytes.Buffer
	if err := Markdown(&plain, events); err != nil {
		return err
	}
	shown := text.Cut(plain.String(), plainRoom)
	p.print("\n]}</script>\n<noscript><main class=\"reader\">\n")
	if p.err == nil {
		p.err = goldmark.Convert([]byte(shown), p.w) // raw HTML in the text is left out
	}
	if cut := plain.Len() - len(shown); cut > 0 {
		p.print("<p>" + units.Bytes(int64(cut)) + " more are shown when scripts are enabled.</p>")
	}
	p.print("</main></noscript>\n")
	if p.left > 0 {
		p.print(`<p class="left-out">` + units.Bytes(p.left) +
			" of long texts were left out of this page; 'rlm show' prints them.</p>\n")
	}
	p.print("<script>" + readerScript + "</script>\n</body>\n</html>\n")
	return p.err
}

// policy is the Content-Security-Policy of a page: only the reader's own script and style, identified by their
// hashes.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(readerScript) + "; style-src " + hash(readerStyle) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

const (
	textRoom = 8 << 20 // bytes shown in full: of sub-calls and messages, and again of all other events
	restText = 100     // bytes of each text when the room is used up
	// plainRoom bounds the run's text for readers without scripts, in bytes.
	plainRoom = 2 << 20
)

type htmlPage struct {
	printer
	room, detailRoom int
	left             int64 // bytes of text left out
}

// printer writes until the first error and remembers it.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(s string) {
	if p.err == nil {
		if _, p.err = io.WriteString(p.w, s); p.err != nil {
			p.err = fmt.Errorf("write the export: %w", p.err)
		}
	}
}

// events writes all events into the page.
func (p *htmlPage) events(events iter.Seq2[trajectory.Event, error]) error {
	separator := "\n"
	for ev, err := range events {
		if err != nil {
			return fmt.Errorf("export the run: %w", err)
		}
		text, err := p.event(ev)
		if err != nil {
			return err
		}
		if p.print(separator + text); p.err != nil {
			return p.err
		}
		separator = ",\n"
	}
	return nil
}

// event encodes an event as JSON that is safe in a script: encoding/json escapes <, > and &. Its texts are cut if
// the room is used up.
func (p *htmlPage) event(ev trajectory.Event) (string, error) {
	ev, err := ev.Loaded()
	if err != nil {
		return "", fmt.Errorf("export event %d: %w", ev.Seq, err)
	}
	whole, err := json.Marshal(ev)
	if err != nil {
		return "", fmt.Errorf("export event %d: %w", ev.Seq, err)
	}
	room := &p.room
	if detail(ev) {
		room = &p.detailRoom
	}
	if len(whole) <= *room {
		*room -= len(whole)
		return string(whole), nil
	}
	var parts map[string]any
	numbers := json.NewDecoder(bytes.NewReader(whole))
	numbers.UseNumber() // a seed may not fit into a float
	if err := numbers.Decode(&parts); err != nil {
		return "", fmt.Errorf("export event %d: %w", ev.Seq, err)
	}
	cut, err := json.Marshal(p.shortened(parts))
	return string(cut), err
}

// detail reports whether an event is one of many that may be shown only in part.
func detail(ev trajectory.Event) bool {
	switch ev.Data.(type) {
	case trajectory.SubCallStarted, trajectory.SubCallEnded, trajectory.MessageAdded:
		return true
	}
	return ev.Path != ""
}

// shortened cuts all long texts of a value, and counts the bytes left out.
func (p *htmlPage) shortened(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, part := range v {
			v[k] = p.shortened(part)
		}
	case []any:
		for i, part := range v {
			v[i] = p.shortened(part)
		}
	case string:
		if len(v) <= 2*restText {
			return v
		}
		head := text.Cut(v, restText)
		more := int64(len(v) - len(head))
		p.left += more
		return head + " … (" + units.Bytes(more) + " more)"
	}
	return v
}

// escaped escapes text for HTML, and removes characters that HTML cannot contain or that would change the
// direction of text.
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}
