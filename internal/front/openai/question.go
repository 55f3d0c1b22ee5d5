package openai

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
)

// question is the content of a request: the question, the documents of its context, and the system prompt.
type question struct {
	text   string
	system string
	docs   []document
}

// document is a document for the context that is part of a request.
type document struct {
	name string
	part
}

// input converts a document to an input of a context. The caller closes the result after reading it.
func (a *API) input(who Caller, d document) (runner.Input, io.Closer, error) {
	switch {
	case d.file != "":
		_, f, err := a.files.open(who, d.file)
		if err != nil {
			return runner.Input{}, nil, err
		}
		return runner.Reader(d.name, f), f, nil
	case d.isText() && d.long != nil:
		return runner.TextFrom(d.name, io.NewSectionReader(d.long, 0, d.long.Size())), io.NopCloser(nil), nil
	case d.isText():
		return runner.Text(d.name, d.text), io.NopCloser(nil), nil
	case d.long != nil:
		return runner.Reader(d.name, io.NewSectionReader(d.long, 0, d.long.Size())), io.NopCloser(nil), nil
	}
	return runner.Reader(d.name, bytes.NewReader(d.data)), io.NopCloser(nil), nil
}

// asked turns messages into a question: the last message is the question, long texts and files become documents,
// and the shorter messages before it are quoted as the conversation so far. Files must belong to the caller.
func (a *API) asked(q *ask, p target) (question, error) {
	var out question
	var told, system []string
	if q.instructions != "" {
		system = append(system, q.instructions)
	}
	said := len(q.messages) - len(p.messages)
	for i, m := range q.messages {
		if i < said && m.role != roleSystem {
			continue
		}
		text, err := a.split(q, m, &out)
		if err != nil {
			return out, err
		}
		switch {
		case i == len(q.messages)-1:
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
	if p.session == nil {
		return out, nil
	}
	// The system prompt of a notebook does not change, so that the beginning of its prompts stays in providers'
	// caches.
	if out.system != "" && short8(part{text: out.system}) != p.before.System {
		out.text = "Instructions for this answer: " + out.system + "\n\n" + out.text
	}
	return out, nil
}

// split splits a message: it returns the short texts, and adds everything else to the documents.
func (a *API) split(q *ask, m message, out *question) (string, error) {
	var short []string
	for _, p := range m.parts {
		switch {
		case p.file != "":
			if err := a.attach(q, p.file, out); err != nil {
				return "", err
			}
		case p.name != "":
			out.add(document{p.name, p})
		case p.long != nil && p.long.Size() <= int64(a.cfg.MaxText):
			text, err := p.long.whole()
			if err != nil {
				return "", err
			}
			short = append(short, text)
		case p.long != nil || len(p.text) > a.cfg.MaxText:
			name := "message-" + short8(p) + ".txt"
			out.add(document{name, p})
			if len(m.parts) > 1 || m.role != roleUser {
				short = append(short, "[the document "+name+" of the context]")
			}
		case strings.TrimSpace(p.text) != "":
			short = append(short, p.text)
		}
	}
	if !slices.ContainsFunc(short, func(s string) bool { return !strings.HasPrefix(s, "[the document ") }) &&
		m.role == roleUser {
		return "", nil // the message has only documents
	}
	return strings.Join(short, "\n\n"), nil
}

// attach adds an uploaded file to the documents.
func (a *API) attach(q *ask, id string, out *question) error {
	info, err := a.files.find(q.who, id)
	if err == nil {
		out.add(document{info.Name, part{file: id}})
	}
	return err
}

// add adds a document under a unique name, unless the question already has the document.
func (q *question) add(d document) {
	for n, name := 2, d.name; ; n++ {
		i := slices.IndexFunc(q.docs, func(o document) bool { return o.name == d.name })
		if i < 0 {
			q.docs = append(q.docs, d)
			return
		}
		if o := q.docs[i]; o.file == d.file && o.isText() == d.isText() && o.sum() == d.sum() {
			return
		}
		d.name = fmt.Sprintf("%s (%d)", name, n)
	}
}

// tell puts the conversation so far before the question, or into a document if it is long.
func (q *question) tell(told []string, most int) {
	if len(told) == 0 {
		return
	}
	text := strings.Join(told, "\n\n")
	if len(text) > most {
		all := part{text: text}
		name := "conversation-" + short8(all) + ".txt"
		q.add(document{name, all})
		text = "[the document " + name + " of the context, " + units.Bytes(int64(len(text))) + "]"
	}
	q.text = "The conversation so far:\n\n" + text + "\n\nThe user now says:\n\n" + q.text
}

// wordless returns the question for a message without a short text. It refers the model to the documents.
func wordless(docs []document) string {
	const head, tail = 1000, 1000
	for _, d := range docs {
		var begin, end string
		var size int64
		switch {
		case d.isText() && d.long != nil:
			begin, end, size = d.long.part(0, head), d.long.part(-tail, tail), d.long.Size()
		case d.text != "":
			begin, end, size = d.text[:head], d.text[len(d.text)-tail:], int64(len(d.text))
		default:
			continue
		}
		return fmt.Sprintf("The user's message is long: it is the document %s of the context (%s). Find out what it asks, and answer that. It begins:\n\n%s…\n\nand ends:\n\n…%s",
			d.name, units.Bytes(size), strings.ToValidUTF8(begin, ""), strings.ToValidUTF8(end, ""))
	}
	if len(docs) > 0 {
		return "The user sent " + docs[len(docs)-1].name +
			" without a word. Say what it is and what stands in it; if it asks something, answer that."
	}
	return ""
}

// short8 returns a hash of 8 digits, for names of texts.
func short8(p part) string {
	sum := p.sum()
	return hex.EncodeToString(sum[:4])
}
