package documents

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	maxParts = 200_000 // parts of each document
	maxNames = 8 << 20 // total bytes of a document's part names
	maxNotes = 50      // notes of each document
	maxKind  = 20      // bytes of a document's kind
)

// textWriter writes a document's text: the head, the lines that mark parts, and the worker's text, made valid
// UTF-8. It computes the offsets of parts itself.
type textWriter struct {
	to    *files.Spool
	limit int64
	tail  []byte // an incomplete character at the end
	last  byte   // last byte written
	head  bool   // the last line written belongs to the head
	parts []Part
	names int
	pages int

	crowded bool // parts were left out
	notes   []string
	more    int // number of notes left out
}

// put adds text from the host itself.
func (t *textWriter) put(s string) error {
	if s == "" {
		return nil
	}
	t.last = s[len(s)-1]
	_, err := io.WriteString(t.to, s)
	return err
}

// add adds text from the worker. At the limit it writes what fits and returns format.ErrTooLarge.
func (t *textWriter) add(p []byte) error {
	if t.head {
		t.head = false
		if err := t.put("\n"); err != nil { // an empty line ends the head
			return err
		}
	}
	if len(t.tail) > 0 {
		p = append(t.tail, p...)
		t.tail = nil
	}
	p, t.tail = whole(p)
	if !utf8.Valid(p) {
		p = []byte(strings.ToValidUTF8(string(p), "\uFFFD"))
	}
	var full error
	if room := t.limit - t.to.Size(); int64(len(p)) > room {
		p = []byte(text.Cut(string(p), int(max(room, 0))))
		full = format.ErrTooLarge
	}
	if len(p) > 0 {
		t.last = p[len(p)-1]
		if _, err := t.to.Write(p); err != nil {
			return err
		}
	}
	return full
}

// whole splits off an incomplete character at the end.
func whole(p []byte) (now, later []byte) {
	for back := 1; back <= min(3, len(p)); back++ {
		c := p[len(p)-back]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-back:]) {
				return p[:len(p)-back], append([]byte(nil), p[len(p)-back:]...)
			}
			break
		}
	}
	return p, nil
}

// flush replaces an incomplete character, because no more text follows it.
func (t *textWriter) flush() error {
	if len(t.tail) == 0 {
		return nil
	}
	t.tail = nil
	return t.put("\uFFFD")
}

// meta adds a line to the head. After the head it does nothing.
func (t *textWriter) meta(name, value string) error {
	if t.to.Size() > 0 && !t.head {
		return nil
	}
	line := format.MetaLine(shown(name), shownUpTo(value, 2000))
	t.head = t.head || line != ""
	return t.put(line)
}

// begin ends the current part and starts another.
func (t *textWriter) begin(m partMeta) error {
	if err := t.end(); err != nil {
		return err
	}
	t.head = false
	p := format.Part{Kind: m.Kind, Number: max(m.Number, 0), Name: shown(m.Name)}
	switch p.Kind {
	case format.Page, format.Slide:
		t.pages++
	case format.Sheet, format.Table, format.Chapter, format.Message, format.Cell, format.Main, format.Aside:
	default:
		return fmt.Errorf("%w: a part of an unknown kind", errRules)
	}
	if t.to.Size() > 0 {
		if t.last != '\n' {
			if err := t.put("\n"); err != nil {
				return err
			}
		}
		if err := t.put("\n"); err != nil {
			return err
		}
	}
	if t.to.Size() > t.limit {
		return format.ErrTooLarge
	}
	if err := t.put(p.Mark()); err != nil {
		return err
	}
	if t.names += len(p.Name); len(t.parts) < maxParts && t.names <= maxNames {
		t.parts = append(t.parts, Part{Part: p, Offset: t.to.Size(), Size: open})
	} else if !t.crowded {
		t.crowded = true
		t.note(fmt.Sprintf("it has more parts than can be told apart; the last is %s", t.parts[len(t.parts)-1]))
	}
	return nil
}

// open is the size of a part that has not ended.
const open = -1

// end ends the last part.
func (t *textWriter) end() error {
	if err := t.flush(); err != nil {
		return err
	}
	if n := len(t.parts); n > 0 && t.parts[n-1].Size == open {
		t.parts[n-1].Size = t.to.Size() - t.parts[n-1].Offset
	}
	return nil
}

func (t *textWriter) note(s string) {
	if s = shown(s); s == "" || slices.Contains(t.notes, s) {
		return
	}
	if len(t.notes) >= maxNotes {
		t.more++
		return
	}
	t.notes = append(t.notes, s)
}

// shown turns a worker's string into one line for people, at most maxShown bytes long.
func shown(s string) string { return shownUpTo(s, maxShown) }

func shownUpTo(s string, limit int) string {
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	if s = format.OneLine(s); len(s) > limit {
		s = strings.TrimRight(text.Cut(s, limit-len(text.Ellipsis)), " ") + text.Ellipsis
	}
	return s
}

// cleanPath makes a member's path safe as a name: no "..", root, drive or unprintable characters.
func cleanPath(path string) string {
	var kept []string
	for _, s := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if s = shown(s); s == "" || s == "." || s == ".." || len(kept) == 0 && len(s) == 2 && s[1] == ':' {
			continue
		}
		kept = append(kept, s)
	}
	return shown(strings.Join(kept, "/"))
}
