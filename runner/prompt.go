package runner

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// firstMessage is the content of the message that asks a question.
type firstMessage struct {
	facts *prompts.Facts
	own   []string // what happened since the last turn, including a person's cells
	first bool     // the first question of the conversation
	kind  string   // of the message; empty means question
	// changed means that the mode differs from the one that the conversation knows.
	changed bool
}

// open adds the question to the conversation, which begins with the system prompt.
func (r *run) open(question string, o firstMessage) error {
	if o.first {
		system, err := r.systems.of(r.depth, func() (string, error) { return r.cfg.words(r.depth).System(r.setup()) })
		if err != nil {
			return err
		}
		m, err := journal.Note(r.journal, r.path, 0,
			trajectory.MessageAdded{Role: string(llm.System), Kind: "system", Content: trajectory.T(system)})
		if err != nil {
			return err
		}
		r.conv.apply(m)
	}
	var mode *prompts.Setup
	if o.changed {
		setup := r.setup()
		mode = &setup
	}
	text, err := r.cfg.Prompts.Ask(prompts.Question{
		Mode: mode, Text: question, Facts: o.facts, Own: o.own, Left: r.lease.Left(0), First: o.first,
		Review: o.kind == kindReview, More: o.kind == kindMore,
	})
	if err != nil {
		return err
	}
	kind := o.kind
	if kind == "" {
		kind = "question"
	}
	if err := r.say(kind, text); err != nil {
		return err
	}
	state, err := r.policy.Begin(question)
	r.state = state
	r.face(o)
	return err
}

// systemPrompts caches the system prompts of a tree, which are the same for all runs of a depth.
type systemPrompts struct {
	mu sync.Mutex
	at map[int]string
}

func (s *systemPrompts) of(depth int, render func() (string, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.at[depth]; ok {
		return text, nil
	}
	text, err := render()
	if err != nil {
		return "", err
	}
	if s.at == nil {
		s.at = map[int]string{}
	}
	s.at[depth] = text
	return text, nil
}

// setup returns the data of the system prompt.
func (r *run) setup() prompts.Setup {
	limits := r.cfg.Limits.WithDefaults()
	s := prompts.Setup{
		Task: r.policy.Mode == termination.Task, Interactive: r.policy.Interactive, Child: r.depth > 0, Names: r.names,
		Packages: repl.Packages(),
		Output:   r.cfg.cellOutput(r.depth), CellTime: limits.CellTime, CellMemory: limits.CellMemory,
		Concurrency: r.cfg.Concurrency, Answer: r.declaration(), Additions: r.cfg.System,
		Example: r.policy.Example, Window: r.cfg.window(r.depth),
	}
	if r.depth == 0 {
		s.Outside = len(r.cfg.Tools) > 0
		for _, t := range r.cfg.Tools {
			if t.Refused {
				s.Refused = append(s.Refused, t.Spec.Name)
			}
		}
	}
	childless := r.depth >= r.bounds.Depth
	if childless {
		s.Names.ChildQuery = ""
	}
	if w := windowOf(r.cfg.sub, r.cfg.SubWindow); w > 0 {
		s.QueryChars = capacity(w)
	}
	for _, h := range builtins.Docs(r.specs) {
		if h.Name == recordedCalls || h.Spare {
			continue // the model learns of this builtin when it needs it
		}
		if childless && strings.HasPrefix(h.Impl, "rlm_query") {
			continue // a child run would be the same as a plain sub-call
		}
		s.Builtins = append(s.Builtins, prompts.Builtin{Name: h.Name, Doc: h.Prompt, Signal: h.Signal, Minor: h.Minor})
	}
	return s
}

// notice is something that happened since the model's last turn: a person's cell, or a remark.
type notice struct {
	source string
	seen   observation.Observation
}

func remark(text string) notice {
	return notice{seen: observation.Observation{Remarks: []string{text}}}
}

func ownCell(source string, c CellResult) notice {
	return notice{source, observation.Observation{Cells: []observation.Cell{c.observation()}}}
}

// tell renders notices for the model. All outputs of a person's cells together may have the length of one turn's
// outputs, and so may their sources.
func tell(list []notice, room int) []string {
	var cells []observation.Cell
	var sources []*string
	for i := range list {
		cells = append(cells, list[i].seen.Cells...)
		sources = append(sources, &list[i].source)
	}
	fitOutputs(cells, room)
	fitTexts(sources, room)
	var out []string
	for _, n := range list {
		if n.source == "" {
			out = append(out, n.seen.String())
			continue
		}
		n.seen.Cells, cells = cells[:1], cells[1:]
		out = append(out, "```go\n"+n.source+"\n```\n"+n.seen.String())
	}
	return out
}

// typed reports whether the answer must have a form.
func (r *run) typed() bool { return r.cfg.answerForm != nil && r.depth == 0 }

// declaration is the answer's type as declared in the notebook; "" if it may be anything.
func (r *run) declaration() string {
	if !r.typed() {
		return ""
	}
	return r.cfg.answerForm.Declaration()
}

// listed bounds the documents and skipped files that a prompt names; a small window lowers the bound, but not
// below leastListed.
const (
	listed      = 50
	leastListed = 10
)

// facts converts the facts about a text to the prompt's form. known are its documents, if there is more to report
// about them. The documents are read from text, starting at offset at; room bounds the bytes shown of them.
func facts(
	f corpus.Facts, docs []sandbox.DocRange, known []corpus.Document, skipped []corpus.SkippedFile, text io.ReaderAt,
	at int64, room int,
) *prompts.Facts {
	listed := min(listed, max(leastListed, listed*room/samplesRoom))
	p := &prompts.Facts{
		Bytes: f.Bytes, Chars: f.Chars, Lines: f.Lines, Tokens: f.Tokens, Total: len(docs), Head: f.Head, Tail: f.Tail,
		Separator: "each begins after a line like `=== document 2: name ===`",
	}
	if f.Bytes <= int64(len(f.Head)) {
		p.Tail = ""
	}
	fitExcerpt(p, room)
	if p.Tail != "" && len(docs) > 1 {
		p.Samples = samples(docs, known, text, at, room)
	}
	for i, d := range docs[:min(len(docs), listed)] {
		doc := prompts.Document{Name: d.Name, Bytes: d.Size, Kind: d.Kind, Pages: int64(d.Parts.Pages())}
		if i < len(known) {
			doc.Note = known[i].Note
			if f := known[i].Fetched; f != nil {
				doc.Note = strings.TrimSuffix("fetched "+f.Time.Format("2006-01-02 15:04 UTC")+"; "+doc.Note, "; ")
			}
		}
		p.Documents = append(p.Documents, doc)
	}
	for _, e := range slices.Sorted(maps.Keys(f.Encodings)) {
		if e != "utf-8" && e != "" {
			p.Encodings = append(p.Encodings, e)
		}
	}
	for i, s := range skipped {
		if i == listed {
			p.Skipped = append(p.Skipped, fmt.Sprintf("and %d more", len(skipped)-listed))
			break
		}
		p.Skipped = append(p.Skipped, s.Name+" ("+s.Reason+")")
	}
	return p
}

// face records whether the first message shows only part of the text, and a cell that looks at the text.
func (r *run) face(o firstMessage) {
	f := o.facts
	switch {
	case f == nil && r.text == nil, f != nil && f.Empty():
		return
	case f != nil:
		r.state.Look = firstLook(f.Total)
		r.excerpt = f.Tail != ""
	default:
		told := r.text.Facts()
		r.state.Look = firstLook(len(r.text.Documents()))
		shown := prompts.Facts{Head: told.Head}
		fitExcerpt(&shown, r.cfg.sampleRoom(r.depth))
		r.excerpt = told.Bytes > int64(len(told.Head)) || shown.Tail != ""
	}
	seen := len(o.own) > 0 || r.conv.looked() && (f == nil || !f.Added)
	r.state.Unread = r.excerpt && !seen
}

// firstLook returns a cell that looks at a context of n documents.
func firstLook(n int) string {
	if n > 1 {
		return "for i, d := range docs[:min(len(docs), 20)] {\n\tfmt.Println(i, d.Name, len(d.Text), d.Text[:min(len(d.Text), 300)])\n}"
	}
	return "fmt.Println(len(context))\nfmt.Println(context[:min(len(context), 2000)])"
}
