package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
)

// question is what a request comes to: a question, what its context is made of, and what goes into the system prompt.
type question struct {
	text   string
	system string
	docs   []document
}

// document is a part of a context that came with a request.
type document struct {
	name string
	text string
	data []byte
	file string // id of an uploaded one
}

// input makes a document part of a context. Close it when it was read.
func (a *API) input(who Caller, d document) (runner.Input, io.Closer, error) {
	switch {
	case d.file != "":
		_, f, err := a.files.open(who, d.file)
		if err != nil {
			return runner.Input{}, nil, err
		}
		return runner.Reader(d.name, f), f, nil
	case d.data != nil:
		return runner.Reader(d.name, bytes.NewReader(d.data)), io.NopCloser(nil), nil
	}
	return runner.Text(d.name, d.text), io.NopCloser(nil), nil
}

// asked makes a question of messages: the last one asks, long texts and files become documents, shorter ones before it are told as the
// conversation so far. Files are those of the caller.
func (a *API) asked(q *ask, messages []message, goesOn bool) (question, error) {
	var out question
	var told, system []string
	if q.instructions != "" {
		system = append(system, q.instructions)
	}
	for i, m := range messages {
		text, err := a.split(q, m, &out)
		if err != nil {
			return out, err
		}
		switch {
		case i == len(messages)-1:
			out.text = text
		case text == "":
		case m.role == roleSystem:
			system = append(system, text)
		case m.role == roleAssistant:
			told = append(told, "Assistant: "+text)
		default:
			told = append(told, "User: "+text)
		}
	}
	for _, id := range q.extra.Files {
		if err := a.attach(q, id, &out); err != nil {
			return out, err
		}
	}
	if out.text == "" {
		out.text = wordless(out.docs)
	}
	out.tell(told, 4*a.cfg.MaxText)
	out.system = strings.Join(system, "\n\n")
	if goesOn && out.system != "" { // the conversation has its system prompt already
		out.text = "Instructions for this answer: " + out.system + "\n\n" + out.text
	}
	return out, nil
}

// split takes what a message says apart: short texts are returned, all else becomes documents.
func (a *API) split(q *ask, m message, out *question) (string, error) {
	var short []string
	for _, p := range m.parts {
		switch {
		case p.file != "":
			if err := a.attach(q, p.file, out); err != nil {
				return "", err
			}
		case p.data != nil:
			out.add(document{name: p.name, data: p.data})
		case len(p.text) > a.cfg.MaxText:
			name := "message-" + short8(p.text) + ".txt"
			out.add(document{name: name, text: p.text})
			if len(m.parts) > 1 || m.role != roleUser {
				short = append(short, "[the document "+name+" of the context]")
			}
		case strings.TrimSpace(p.text) != "":
			short = append(short, p.text)
		}
	}
	if !slices.ContainsFunc(short, func(s string) bool { return !strings.HasPrefix(s, "[the document ") }) && m.role == roleUser {
		return "", nil // nothing but documents
	}
	return strings.Join(short, "\n\n"), nil
}

// attach adds an uploaded file.
func (a *API) attach(q *ask, id string, out *question) error {
	info, err := a.files.find(q.who, id)
	if err == nil {
		out.add(document{name: info.Name, file: id})
	}
	return err
}

// add adds a document once, under a name of its own.
func (q *question) add(d document) {
	for n, name := 2, d.name; ; n++ {
		i := slices.IndexFunc(q.docs, func(o document) bool { return o.name == d.name })
		if i < 0 {
			q.docs = append(q.docs, d)
			return
		}
		if o := q.docs[i]; o.file == d.file && o.text == d.text && bytes.Equal(o.data, d.data) {
			return
		}
		d.name = fmt.Sprintf("%s (%d)", name, n)
	}
}

// tell puts the conversation so far before the question, or into the context if it is long.
func (q *question) tell(told []string, most int) {
	if len(told) == 0 {
		return
	}
	text := strings.Join(told, "\n\n")
	if len(text) > most {
		name := "conversation-" + short8(text) + ".txt"
		q.add(document{name: name, text: text})
		text = "[the document " + name + " of the context, " + quantity.Bytes(int64(len(text))) + "]"
	}
	q.text = "The conversation so far:\n\n" + text + "\n\nThe user now says:\n\n" + q.text
}

// wordless is the question of a message that is nothing but documents: what it asks stands in them.
func wordless(docs []document) string {
	const head, tail = 1000, 1000
	for _, d := range docs {
		if d.text == "" {
			continue
		}
		begin, end := d.text[:head], d.text[len(d.text)-tail:]
		return fmt.Sprintf("The user's message is long: it is the document %s of the context (%s). Find out what it asks, and answer that. It begins:\n\n%s…\n\nand ends:\n\n…%s",
			d.name, quantity.Bytes(int64(len(d.text))), strings.ToValidUTF8(begin, ""), strings.ToValidUTF8(end, ""))
	}
	if len(docs) > 0 {
		return "The user sent " + docs[len(docs)-1].name + " without a word. Say what it is and what stands in it; if it asks something, answer that."
	}
	return ""
}

// short8 names a text.
func short8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
