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

// The reader of rlm serve's page without the server, as internal/front/web builds it.
var (
	//go:embed reader/reader.js
	readerScript string
	//go:embed reader/style.css
	readerStyle string
)

// HTML writes a run as one file with the reader that rlm serve has, read-only, and all events inside. It loads nothing from anywhere, and
// of what the run holds nothing can act: the page's policy admits the reader's script alone. Of very long runs the texts of sub-calls
// are cut first, so that the file stays near 20 MB, and it says so. Where no script runs, as in the preview of a mail, the run stands there
// as Markdown has it.
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
		p.err = goldmark.Convert([]byte(shown), p.w) // without HTML of the text's own, which is left out
	}
	if cut := plain.Len() - len(shown); cut > 0 {
		p.print("<p>" + units.Bytes(int64(cut)) + " more are shown where scripts run.</p>")
	}
	p.print("</main></noscript>\n")
	if p.left > 0 {
		p.print(`<p class="left-out">` + units.Bytes(p.left) + " of long texts were left out of this page; rlm show has them.</p>\n")
	}
	p.print("<script>" + readerScript + "</script>\n</body>\n</html>\n")
	return p.err
}

// policy is the Content-Security-Policy of a page: the reader's own script and style, known by their hashes, and nothing else.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(readerScript) + "; style-src " + hash(readerStyle) + "; img-src data:; base-uri 'none'; form-action 'none'"
}

const (
	textRoom = 8 << 20 // bytes of events that a page has whole: as many of sub-calls and messages, and as many of all others
	restText = 100     // bytes of each text when there is no room for more
	// plainRoom is how much of the run stands there for readers without scripts.
	plainRoom = 2 << 20
)

type htmlPage struct {
	printer
	room, detailRoom int
	left             int64 // bytes of texts that were left out
}

// printer writes until it fails.
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

// event is an event as JSON that may stand in a script: encoding/json writes <, > and & as escapes. Its texts are cut when there is no room.
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
	numbers.UseNumber() // seeds are larger than what a float holds
	if err := numbers.Decode(&parts); err != nil {
		return "", fmt.Errorf("export event %d: %w", ev.Seq, err)
	}
	cut, err := json.Marshal(p.shortened(parts))
	return string(cut), err
}

// detail reports whether an event is one of many that can be shown in part without harm.
func detail(ev trajectory.Event) bool {
	switch ev.Data.(type) {
	case trajectory.SubCallStarted, trajectory.SubCallEnded, trajectory.MessageAdded:
		return true
	}
	return ev.Path != ""
}

// shortened cuts all long texts of a value, and counts what is left out.
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

// escaped is text for HTML: without what HTML cannot hold, and with nothing that it would obey.
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}
